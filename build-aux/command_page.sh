#!/bin/sh
# The manual page of one command, cut out of lamella.1:
#   command_page.sh lamella-run.1 <lamella.1 >lamella-run.1
# Its section of COMMANDS gives synopsis, name and options; the input that it describes and the sections
# that hold for all commands follow.
command=${1#lamella-}
command=${command%.1}
awk -v command="$command" '
/^\.TH / {
  sub(/^\.TH LAMELLA/, ".TH LAMELLA-" toupper(command))
  print ".\\\" Cut out of lamella.1."
  print
  next
}
/^\.SS lamella / {
  inside = $3 == command
  found += inside
  next
}
/^\.SH / {
  inside = 0
  if ($0 ~ /^\.SH INPUT OF LAMELLA /) {
    inside = $5 == command
    if (inside) $0 = ".SH INPUT"
  }
  else if ($2 == "EXIT" || $2 == "ENVIRONMENT")
    inside = 1
  else if ($2 == "SEE") {
    inside = 1
    print
    print ".BR lamella (1);"
    next
  }
}
!inside { next }
/^\.B lamella / && !named {
  named = 1
  synopsis = $0
  getline
  synopsis = synopsis "\n" $0
  getline            # .PP
  getline            # the summary
  summary = $0
  sub(/\.$/, "", summary)
  print ".SH NAME\nlamella\\-" command " \\- " summary
  print ".SH SYNOPSIS\n" synopsis
  print ".SH DESCRIPTION\n" $0
  print ".SH OPTIONS"
  next
}
{ print }
END { if (found != 1) exit 1 }'

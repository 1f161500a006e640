/* The instruction sets that force and map kernels are compiled for (configure --with-isa). Included
   with ISA(name, level) defined: name ends the names of what such a unit defines (mixed_v3, ...);
   level is 0 for any x86-64 or aarch64 processor, 1 for AVX2 and FMA, 2 for AVX-512. */
#ifdef HAVE_ISA_NEON
ISA(neon, 0)
#endif
#ifdef HAVE_ISA_V1
ISA(v1, 0)
#endif
#ifdef HAVE_ISA_V3
ISA(v3, 1)
#endif
#ifdef HAVE_ISA_V4
ISA(v4, 2)
#endif

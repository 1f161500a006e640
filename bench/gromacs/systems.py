"""The systems of compare.py: rows of data. Folder: below the one that the user gives.

BILAYERS: name, force field folder, upper leaflet, lower leaflet (None: the same), further options of insane.
SOLUTIONS: name, force field folder, molecules with their counts, edge of the box.
PROTEINS: name, force field folder, folder of martinize2 below proteins/, water and ions, options of the comparison.
READY: name, its folder below ready/ with system.top, minimized.gro; macros."""

BILAYERS = [
    ("DPPC, DOPC, CHOL", "martini2", "DPPC:4 DOPC:3 CHOL:3", None),
    ("POPC, POPE", "martini2", "POPC:1 POPE:1", None),
    ("POPC, POPS over POPE, POPG", "martini2", "POPC:3 POPS:1", "POPE:3 POPG:1"),
    ("DIPC, DPSM, CHOL", "martini2", "DIPC:4 DPSM:3 CHOL:3", None),
    ("DLPC, DBPC, DNPC, ERGO", "martini2", "DLPC:2 DBPC:2 DNPC:2 ERGO:1", None),
    ("PC, PE, PS, SM, CHOL, PIP2", "martini2", "POPC:4 DOPE:3 DOPS:1 DBSM:2 CHOL:3", "POPC:4 POPE:3 POPS:2 POP2.2:1 CHOL:2"),
    ("POPI, POP1, POP3", "martini2", "POPC:6 POPI.2:1 POP1.2:1 POP3.2:1", None),
    ("PAPI, PIPI, PUPI", "martini2", "DOPC:6 PAPI.2:1 PIPI.2:1 PUPI.2:1", None),
    ("GM1, POPC, CHOL", "martini2", "POPC:7 CHOL:3 DPG1:1", "POPC:7 CHOL:3"),
    ("GM3, DPSM, DOPC", "martini2", "DOPC:6 DPSM:4 DPG3:1", "DOPC:6 DPSM:4"),
    ("GM1 of other tails", "martini2", "DOPC:6 DBG1:1 DXG1:1 PNG1:1 XNG1:1", "DOPC:1"),
    ("GM3 of other tails", "martini2", "DOPC:6 DXG3:1 PNG3:1 XNG3:1", "DOPC:1"),
    ("ceramide, DPPC, CHOL", "martini2", "DPPC:5 DPCE:3 CHOL:2", None),
    ("glycoglycerolipids", "martini2", "DPMG:3 DPSG:2 DPGG:3", None),
    ("thylakoid", "martini2", "FPMG:3 DFMG:2 FPSG:1 FPGG:2 DFGG:2 JPPG:1", None),
    ("chloroplast OP", "martini2", "OPMG:3 OPSG:2 OPGG:3 JFPG:1", None),
    ("cardiolipin 0, POPE", "martini2", "POPE:7 POPG:2 CDL0:1", None),
    ("cardiolipin 1, DOPC", "martini2", "DOPC:8 CDL1:1", None),
    ("hopanoids", "martini2", "DOPC:6 HOPR:1 HHOP:1 HDPT:1 HBHT:1", None),
    ("triolein, DOPC", "martini2", "DOPC:12 TOG:1", None),
    ("DAPC, DGPC, DTPC", "martini2", "DAPC:1 DGPC:1 DTPC:1", None),
    ("DPPE, DLPE, DOPG, BNSM", "martini2", "DPPE:3 DLPE:2 DOPG:1 BNSM:2", None),
    ("Martini 3 DPPC, POPC", "martini3", "DPPC:1 POPC:1", None),
    ("Martini 3 DOPC, DOPE, DOPS", "martini3", "DOPC:3 DOPE:2 DOPS:1", None),
    ("Martini 3 POPC, POPG over POPE", "martini3", "POPC:3 POPG:1", "POPE:1"),
    ("Martini 3 DIPC, DLPC, JFPG, POPS", "martini3", "DIPC:2 DLPC:2 JFPG:1 POPS:1", None),
]
SOLUTIONS = [
    ("SDS, DPC", "martini2", [("SDS", 20), ("DPC", 15), ("NA", 20), ("W", 400)], 4.6),
    ("DDM, BOG", "martini2", [("DDM", 12), ("BOG", 12), ("W", 400)], 4.6),
    ("lysolipids, cholate", "martini2", [("PPC", 12), ("CHOA", 10), ("NA", 10), ("W", 400)], 4.8),
    ("cholesteryl oleate, TOG", "martini2", [("CHYO", 10), ("TOG", 6), ("W", 300)], 4.8),
    ("bolaamphiphiles, EO5", "martini2", [("BOLA", 6), ("EO5", 20), ("W", 150)], 4.8),
    ("lipopolysaccharides", "martini2", [("RAMP", 3), ("REMP", 3), ("CA", 21), ("NA", 60), ("W", 300)], 5.4),
    ("Martini 3 benzenes", "martini3", [("BENZ", 12), ("TOLU", 10), ("PHEN", 10), ("ANIL", 8), ("OXYLE", 6), ("MESI", 6), ("W", 300)], 4.4),
    ("Martini 3 fused rings", "martini3", [("NAPH", 8), ("ANTH", 6), ("INDO", 8), ("CNAP", 5), ("QUIN", 6), ("BZTA", 5), ("CAFF", 6), ("W", 300)], 4.6),
    ("Martini 3 rings with sites", "martini3", [("XNAPH", 5), ("MNAP", 5), ("ENAPH", 5), ("NBAPH", 5), ("DMAN", 5), ("NAPY", 5), ("W", 300)], 4.6),
    ("Martini 3 heterocycles", "martini3", [("PYRI", 8), ("IMID", 8), ("THF", 8), ("FURA", 8), ("PIPER", 6), ("THAZ", 6), ("2T", 4), ("W", 300)], 4.4),
    ("Martini 3 halogens", "martini3", [("CLBZ", 6), ("DCLBZ", 6), ("TCLBZ", 5), ("BRBZ", 6), ("DBRBZ", 5), ("IOBZ", 6), ("W", 300)], 4.4),
    ("Martini 3 sugars", "martini3", [("GLC", 12), ("MAN", 8), ("GAL", 8), ("XYL", 6), ("INO", 6), ("W", 300)], 4.5),
    ("Martini 3 disaccharides", "martini3", [("SUCR", 6), ("TREH", 6), ("LAC", 6), ("W", 300)], 4.5),
    ("Martini 3 sugar derivatives", "martini3", [("FRUF", 6), ("RIBF", 6), ("LFUC", 5), ("LRHA", 5), ("GLA", 5), ("GYN", 5), ("NA", 10), ("W", 300)], 4.6),
    ("Martini 3 nucleobases", "martini3", [("ADEN", 6), ("CYTO", 6), ("GUAN", 6), ("THYM", 6), ("URAC", 6), ("W", 300)], 4.6),
    ("Martini 3 ionic liquid", "martini3", [("BIM", 20), ("OIM", 15), ("BF4", 20), ("PF6", 15), ("W", 100)], 4.6),
    ("Martini 3 solvents", "martini3", [("OCT", 10), ("OCO", 10), ("DISS", 8), ("HEX", 8), ("DOD", 6), ("TFEOL", 8), ("CLF", 10), ("HXD14", 5), ("W", 200)], 4.6),
]
PROTEINS = [
    ("beta sheet, martini22", "martini2", "mini-protein1_betasheet", {}),
    ("helix, elnedyn21", "martini2", "mini-protein2_helix", {}),
    ("trp-cage, elnedyn22", "martini2", "mini-protein3_trp-cage", {}),
    ("BPTI, elnedyn22", "martini2", "bpti", {}),
    ("ubiquitin, Martini 3, elastic network", "martini3", "1UBQ", {}),
    ("insulin, restraints displaced", "martini3", "3i40", {"macros": ["POSRES"], "displaced": "no"}),
    ("insulin, restraints displaced, com", "martini3", "3i40", {"macros": ["POSRES"], "displaced": "com"}),
    ("insulin, restraints displaced, all", "martini3", "3i40", {"macros": ["POSRES"], "displaced": "all"}),
    ("histatin-5, disordered", "martini3", "hst5", {}),
    ("dipeptide", "martini3", "dipro-termini", {}),
    ("lysozyme, elastic network", "martini3", "lysozyme", {}),
    ("lysozyme, Go sites", "martini3", "lysozyme_GO", {}),
    ("lysozyme, Go sites, water bias", "martini3", "lysozyme_GObias", {}),
    ("lysozyme, elastic network, water bias", "martini3", "lysozyme_ENbias", {}),
    ("haloalkane dehalogenase", "martini3", "1mj5", {}),
    ("gap in a chain, two networks", "martini3", "6LFO_gap", {}),
    ("villin in polarisable water", "martini2p", "villin", {}),
]
READY = [
    ("DPPC, 128", "simple_lipid", []),
    ("protein A", "protein", []),
    ("protein A, restraints", "protein", ["POSRES"]),
    ("cholesterol", "m2_chol", []),
]

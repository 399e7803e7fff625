"""What libsolv and dnf say. Questions come on standard input, an answer a line goes to standard output."""

import sys


def ranges():
    """SIGN VERSION SIGN VERSION: 1 if what is provided (first) is what is required (second)."""
    import solv

    flags = {"<": solv.REL_LT, "<=": solv.REL_LT | solv.REL_EQ, "=": solv.REL_EQ,
             ">=": solv.REL_GT | solv.REL_EQ, ">": solv.REL_GT}
    pool = solv.Pool()
    pool.setdisttype(solv.Pool.DISTTYPE_RPM)
    pool.setarch("x86_64")
    repo = pool.add_repo("cases")
    wanted = []
    for number, line in enumerate(sys.stdin):
        have, left, want, right = line.split()
        name = pool.Dep(f"case{number}")
        solvable = repo.add_solvable()
        solvable.name, solvable.evr, solvable.arch = f"p{number}", "1-1", "noarch"
        solvable.add_deparray(solv.SOLVABLE_PROVIDES, name.Rel(flags[have], pool.Dep(left)))
        wanted.append(name.Rel(flags[want], pool.Dep(right)))
    pool.createwhatprovides()
    for dependency in wanted:
        print(len(pool.whatprovides(dependency)))


{"ranges": ranges}[sys.argv[1]]()

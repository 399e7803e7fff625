"""What libsolv and dnf say. Questions come on standard input, an answer a line goes to standard output."""

import json
import os
import sys
import tempfile


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


def dnf_base(dnf, cache, root, case):
    """dnf as it is on a machine with these repositories only."""
    conf = dnf.conf.Conf()
    conf.cachedir, conf.persistdir, conf.logdir = cache, os.path.join(cache, "persist"), cache
    conf.installroot = root
    conf.reposdir, conf.pluginpath, conf.plugins = [], [], False
    conf.install_weak_deps, conf.best = False, False
    conf.substitutions.update({"arch": "x86_64", "basearch": "x86_64", "releasever": "9"})
    conf.module_platform_id = "platform:el9"
    conf.ignorearch = True
    base = dnf.Base(conf)
    for number, repo in enumerate(case["repositories"]):
        base.repos.add_new_repo(f"r{number}-{case['id']}", conf, baseurl=["file://" + repo["path"]],
                                priority=repo["priority"], skip_if_unavailable=False)
    return base


def dnf_answers():
    """A case a line: the packages that dnf would install, or why it would not."""
    import dnf
    import dnf.module.module_base

    with tempfile.TemporaryDirectory() as scratch:
        for line in sys.stdin:
            case = json.loads(line)
            root = case.get("root") or os.path.join(scratch, "root")
            os.makedirs(root, exist_ok=True)
            with dnf_base(dnf, os.path.join(scratch, "cache"), root, case) as base:
                try:
                    base.fill_sack(load_system_repo=bool(case.get("root")))
                    if case.get("streams"):
                        dnf.module.module_base.ModuleBase(base).enable(case["streams"])
                    for wanted in case["wanted"]:
                        base.install(wanted)
                    base.resolve()
                    found = sorted(str(package) for package in base.transaction.install_set)
                    print(json.dumps({"packages": found}))
                except dnf.exceptions.Error as error:
                    print(json.dumps({"refused": str(error)}))


def libsolv_answers():
    """The same from libsolv alone, which can be told what is installed without a database of rpm."""
    import solv

    for line in sys.stdin:
        case = json.loads(line)
        pool = solv.Pool()
        pool.setdisttype(solv.Pool.DISTTYPE_RPM)
        pool.setarch("x86_64")
        pool.set_flag(solv.Pool.POOL_FLAG_IMPLICITOBSOLETEUSESCOLORS, 1)
        for number, repository in enumerate(case["repositories"] + [{"path": case["installed"], "priority": 0}]):
            repo = pool.add_repo(f"r{number}")
            repo.priority = -repository["priority"]
            folder = os.path.join(repository["path"], "repodata")
            repo.add_rpmmd(solv.xfopen(os.path.join(folder, "primary.xml.gz")), None)
            repo.add_rpmmd(solv.xfopen(os.path.join(folder, "filelists.xml.gz")), "FL", solv.Repo.REPO_EXTEND_SOLVABLES)
        pool.installed = repo
        pool.addfileprovides()
        pool.createwhatprovides()
        jobs = []
        for wanted in case["wanted"]:
            kinds = solv.Selection.SELECTION_NAME | solv.Selection.SELECTION_PROVIDES | solv.Selection.SELECTION_FILELIST
            found = pool.select(wanted, kinds).solvables()
            # Like dnf: whoever asks for a name gets what took its place.
            for package in [package for package in found if package.name == wanted]:
                replaced_by = pool.whatmatchessolvable(solv.SOLVABLE_OBSOLETES, package)
                found += [other for other in replaced_by if other.name != package.name]
            one_of = solv.Job.SOLVER_SOLVABLE_ONE_OF | solv.Job.SOLVER_INSTALL
            jobs.append(pool.Job(one_of, pool.towhatprovides([package.id for package in found])))
        solver = pool.Solver()
        for flag in ("ALLOW_VENDORCHANGE", "IGNORE_RECOMMENDED", "KEEP_ORPHANS", "YUM_OBSOLETES", "BEST_OBEY_POLICY"):
            solver.set_flag(getattr(solver, "SOLVER_FLAG_" + flag), 1)
        problems = solver.solve(jobs)
        if problems:
            print(json.dumps({"refused": "; ".join(str(problem) for problem in problems)}))
            continue
        new = [str(package) for package in solver.transaction().newsolvables()]
        print(json.dumps({"packages": sorted(new)}))


QUESTIONS = {"ranges": ranges, "dnf": dnf_answers, "libsolv": libsolv_answers}
QUESTIONS[sys.argv[1]]()

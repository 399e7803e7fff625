//! Questions as commands, and their answers understood.

use kubexm_model::digest::Digest;

use super::PosixNode;
use crate::node::line::Line;
use crate::node::names::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
use crate::node::query::{Active, Answer, Enabled, Group, ModuleState, Mount, Query, UnitState, User};
use crate::node::{NodeError, NodePath};

const UNIT_SHOW: &str = include_str!("unit_show.sh");
const MODULE_SHOW: &str = include_str!("module_show.sh");
const PACKAGE_SHOW: &str = include_str!("package_show.sh");
/// More than any of these answers needs.
const KEEP: usize = 4 * 1024 * 1024;
/// getent's exit code for what is not there.
const NOT_FOUND: i32 = 2;

impl<L: Line> PosixNode<L> {
    pub(super) async fn answer(&self, query: &Query) -> Result<Answer, NodeError> {
        Ok(match query {
            Query::Unit(name) => Answer::Unit(self.ask_unit(name).await?),
            Query::Sysctl(key) => Answer::Sysctl(self.ask_sysctl(key).await?),
            Query::Module(name) => Answer::Module(self.ask_module(name).await?),
            Query::Package(name) => Answer::Package(self.ask_package(name).await?),
            Query::User(name) => Answer::User(self.ask_account("passwd", name, parse_user).await?),
            Query::Group(name) => Answer::Group(self.ask_account("group", name, parse_group).await?),
            Query::Mounts => Answer::Mounts(self.ask_table("/proc/self/mountinfo", parse_mounts).await?),
            Query::Swaps => Answer::Swaps(self.ask_table("/proc/swaps", parse_swaps).await?),
            Query::Check(command) => Answer::Check(self.command(command, false).await?),
        })
    }

    async fn ask_unit(&self, name: &UnitName) -> Result<UnitState, NodeError> {
        let text = self.asked(&format!("unit {name}"), &["sh", "-c", UNIT_SHOW, "kubexm", name.as_str()]).await?;
        parse_unit(&text).ok_or_else(|| self.puzzling(format!("unit {name}"), text.as_bytes()))
    }

    async fn ask_sysctl(&self, key: &SysctlKey) -> Result<Option<String>, NodeError> {
        let path = format!("/proc/sys/{}", key.relative_path());
        let path = NodePath::new(path.as_str()).map_err(|_| self.puzzling(path, b""))?;
        let Some(bytes) = self.read_file(&path, KEEP as u64).await? else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    async fn ask_module(&self, name: &ModuleName) -> Result<ModuleState, NodeError> {
        let doing = format!("module {name}");
        let text = self.asked(&doing, &["sh", "-c", MODULE_SHOW, "kubexm", &name.in_kernel()]).await?;
        match text.trim_end() {
            "loaded" => Ok(ModuleState::Loaded),
            "builtin" => Ok(ModuleState::BuiltIn),
            "absent" => Ok(ModuleState::Absent),
            _ => Err(self.puzzling(doing, text.as_bytes())),
        }
    }

    async fn ask_package(&self, name: &PackageName) -> Result<Option<String>, NodeError> {
        let doing = format!("package {name}");
        let text = self.asked(&doing, &["sh", "-c", PACKAGE_SHOW, "kubexm", name.as_str()]).await?;
        // Of a package that is there for several processors the versions are the same.
        Ok(text.lines().next().map(str::to_owned))
    }

    async fn ask_account<T>(
        &self,
        table: &str,
        name: &AccountName,
        parse: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, NodeError> {
        let doing = format!("getent {table} {name}");
        let output = self.look(&doing, &["getent", "--", table, name.as_str()], KEEP).await?;
        match output.code {
            0 => parse(&output.text()).map(Some).ok_or_else(|| self.puzzling(doing, &output.stdout)),
            NOT_FOUND => Ok(None),
            _ => Err(self.failed(doing, &output)),
        }
    }

    async fn ask_table<T>(&self, path: &str, parse: fn(&str) -> Option<T>) -> Result<T, NodeError> {
        let text = self.asked(&format!("read {path}"), &["cat", path]).await?;
        parse(&text).ok_or_else(|| self.puzzling(path, text.as_bytes()))
    }

    async fn asked(&self, doing: &str, argv: &[&str]) -> Result<String, NodeError> {
        let output = self.look(doing, argv, KEEP).await?;
        if output.code == 0 { Ok(output.text()) } else { Err(self.failed(doing.to_owned(), &output)) }
    }
}

fn parse_unit(text: &str) -> Option<UnitState> {
    let value = |key: &str| {
        let mut pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let load = value("LoadState")?;
    let active = match value("ActiveState")? {
        "active" | "reloading" => Active::Active,
        "inactive" => Active::Inactive,
        "failed" => Active::Failed,
        "activating" | "deactivating" | "maintenance" | "refreshing" => Active::Changing,
        _ => return None,
    };
    let enabled = match value("UnitFileState")? {
        "enabled" | "enabled-runtime" => Enabled::Enabled,
        "masked" | "masked-runtime" => Enabled::Masked,
        "disabled" | "linked" | "linked-runtime" | "" => Enabled::Disabled,
        _ => Enabled::Static,
    };
    // What was kept counts only as long as the start that it was kept for.
    let same_start = value("StartedAs").is_some_and(|kept| !kept.is_empty() && Some(kept) == value("InvocationID"));
    let started_with = value("StartedWith").filter(|_| same_start && active == Active::Active);
    Some(UnitState {
        known: !matches!(load, "not-found" | "bad-setting" | "error"),
        active,
        enabled: if load == "masked" { Enabled::Masked } else { enabled },
        needs_reload: value("NeedDaemonReload")? == "yes",
        started_with: started_with.and_then(|text| text.parse::<Digest>().ok()),
    })
}

fn parse_user(line: &str) -> Option<User> {
    let [_, _, uid, gid, _, home, shell] = line.split(':').collect::<Vec<_>>().try_into().ok()?;
    Some(User { uid: uid.parse().ok()?, gid: gid.parse().ok()?, home: home.to_owned(), shell: shell.to_owned() })
}

fn parse_group(line: &str) -> Option<Group> {
    let [_, _, gid, members] = line.split(':').collect::<Vec<_>>().try_into().ok()?;
    let members = members.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Some(Group { gid: gid.parse().ok()?, members })
}

/// Lines of `/proc/self/mountinfo`: six fields, optional ones, a dash, kind, source and options of the file system.
pub(crate) fn parse_mounts(text: &str) -> Option<Vec<Mount>> {
    let mut mounts = vec![];
    for line in text.lines() {
        let (before, after) = line.split_once(" - ")?;
        let place: Vec<&str> = before.split(' ').collect();
        let [kind, source, options] = after.splitn(3, ' ').collect::<Vec<_>>().try_into().ok()?;
        let mut options: Vec<String> = place.get(5)?.split(',').chain(options.split(',')).map(unescape).collect();
        options.sort_unstable();
        options.dedup();
        // What is mounted outside of everything that can be reached has a path that is none.
        if let Ok(path) = NodePath::new(unescape(place.get(4)?)) {
            mounts.push(Mount { path, source: unescape(source), kind: kind.to_owned(), options });
        }
    }
    Some(mounts)
}

fn parse_swaps(text: &str) -> Option<Vec<NodePath>> {
    let first = |line: &str| NodePath::new(unescape(line.split_whitespace().next()?)).ok();
    text.lines().skip(1).map(first).collect()
}

/// The kernel writes blanks and backslashes in its tables as three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let digits = others.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(|_| first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[3..];
            }
            None => {
                bytes.push(first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_systemctl_says_is_understood() {
        let digest = Digest::of(b"x");
        let text = |id: &str| {
            format!(
                "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=no\nInvocationID=ab\n\
                 StartedAs={id}\nStartedWith={digest}\n"
            )
        };
        let state = parse_unit(&text("ab")).unwrap();
        assert!(state.known && !state.needs_reload);
        assert_eq!((state.active, state.enabled, state.started_with), (Active::Active, Enabled::Enabled, Some(digest)));
        assert_eq!(parse_unit(&text("cd")).unwrap().started_with, None, "somebody else started it since");
        let gone = "LoadState=not-found\nActiveState=inactive\nUnitFileState=\nNeedDaemonReload=no\nInvocationID=\n";
        assert_eq!(parse_unit(gone).unwrap(), UnitState::default());
        let masked =
            "LoadState=masked\nActiveState=inactive\nUnitFileState=masked\nNeedDaemonReload=no\nInvocationID=\n";
        assert_eq!(parse_unit(masked).unwrap().enabled, Enabled::Masked);
        assert_eq!(parse_unit("Failed to connect to bus"), None);
    }

    #[test]
    fn tables_of_the_kernel_are_understood() {
        let mounts = parse_mounts(
            "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n\
             30 22 0:25 / /mnt/a\\040b rw,nosuid - tmpfs tmp\\134fs rw,size=4k\n",
        )
        .unwrap();
        assert_eq!(mounts[1].path.as_str(), "/mnt/a b");
        assert_eq!(mounts[1].source, "tmp\\fs");
        assert_eq!(mounts[1].options, ["nosuid", "rw", "size=4k"]);
        assert!(parse_mounts("nonsense").is_none());
        let swaps = parse_swaps("Filename Type Size Used Priority\n/swap\\040file file 1 0 -2\n").unwrap();
        assert_eq!(swaps, [NodePath::new("/swap file").unwrap()]);
    }

    #[test]
    fn accounts_are_understood() {
        assert_eq!(parse_user("etcd:x:998:997::/var/lib/etcd:/usr/sbin/nologin").unwrap().uid, 998);
        assert_eq!(parse_group("adm:x:4:syslog,ubuntu").unwrap().members, ["syslog", "ubuntu"]);
        assert!(parse_user("etcd:x").is_none() && parse_group("x").is_none());
    }
}

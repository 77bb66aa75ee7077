//! The system calls that are refused, and the filters made of them; `seccomp.rs` says why.

use super::Filter;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// For every thread.
const ALL: &[libc::c_long] = &[
    // Other programs.
    libc::SYS_execve,
    libc::SYS_execveat,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Parts of the kernel that are often its holes.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_vmsplice,
    // Namespaces, mounts, roots.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_mknodat,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_personality,
    // Rights of files.
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// For threads that read captures, and the one that serves scrapes: no socket is made, and none
/// speaks to anyone. Pairs of sockets within the process stay: signals come through them.
const SPEAKING: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendmmsg,
];

/// For threads that read captures: nobody speaks to them.
const ACCEPTING: &[libc::c_long] = &[libc::SYS_accept, libc::SYS_accept4];

/// Requests to a terminal that type for the user, or into its console (ioctl_tty(2),
/// ioctl_console(2)).
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// x86_64 kernels may have a second table of system calls, with this bit in their numbers; some of
/// its calls have numbers of their own (`arch/x86/entry/syscalls/syscall_64.tbl`).
const X32: libc::c_long = 0x4000_0000;
const X32_OWN: std::ops::RangeInclusive<libc::c_long> = 512..=547;

/// As `seccomp::confine`.
pub(super) fn confine(filter: Filter) -> Result<usize, String> {
    let program = program(filter).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    Ok(lists(filter).iter().map(|list| list.len()).sum())
}

const fn lists(filter: Filter) -> &'static [&'static [libc::c_long]] {
    match filter {
        Filter::All => &[ALL],
        Filter::Readers => &[SPEAKING, ACCEPTING],
        Filter::Listener => &[SPEAKING],
    }
}

fn program(filter: Filter) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for number in lists(filter).iter().copied().flatten() {
        rules.insert(*number, Vec::new());
        if cfg!(target_arch = "x86_64") {
            rules.insert(*number | X32, Vec::new());
        }
    }
    if filter == Filter::All {
        if cfg!(target_arch = "x86_64") {
            rules.extend(X32_OWN.map(|number| (number | X32, Vec::new())));
        }
        let is = |argument, op, value| {
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)
        };
        let mut typing = Vec::new();
        for request in TYPING {
            typing.push(SeccompRule::new(vec![is(1, SeccompCmpOp::Eq, request)?])?);
        }
        rules.insert(libc::SYS_ioctl, typing);
        // Signals go to this process and its group only: Ctrl-Z on the screen.
        let own = u64::from(std::process::id());
        let others = vec![is(0, SeccompCmpOp::Ne, own)?, is(0, SeccompCmpOp::Ne, 0)?];
        rules.insert(libc::SYS_kill, vec![SeccompRule::new(others.clone())?]);
        let others = vec![is(0, SeccompCmpOp::Ne, own)?];
        rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(others)?]);
        rules.insert(libc::SYS_tkill, Vec::new());
    }
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?
    .try_into()
}

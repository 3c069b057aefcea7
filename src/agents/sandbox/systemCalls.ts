// The system calls that programs in a sandbox are refused. Namespaces hide the host's files, processes and networks,
// but some parts of the kernel exist only once for the whole machine.
import { answer, assemble, load, type Program, whenAtLeast, whenEqual } from './bpf.ts';

const ALLOW = 0x7fff_0000;
const END_PROCESS = 0x8000_0000;
const FAIL = 0x0005_0000;

/** The error numbers are the same on both architectures. */
const NOT_PERMITTED = FAIL | 1;
/** The answer of a kernel that was built without the call, so that programs behave as on such a machine. */
const NOT_THERE = FAIL | 38;
const NO_SUCH_FAMILY = FAIL | 97;

/** The offsets of the fields in the kernel's description of a call. Only the lower half of most arguments matters. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;
const upperHalfOf = (index: number): number => argument(index) + 4;

interface Architecture {
	/** The kernel's own number of the architecture. */
	id: number;
	/** Numbers from here on belong to a second interface of the same kernel (x32), which is never needed. */
	otherInterface?: number;
	ioctl: number;
	/** The calls that create sockets. Their first argument is the family. */
	sockets: readonly number[];
	shmget: number;
	notPermitted: Readonly<Record<string, number>>;
	notThere: Readonly<Record<string, number>>;
}

/** These calls are newer than the last difference between the architectures, so their numbers are the same on all. */
const NOT_THERE_ANYWHERE = {
	// It makes calls on its own, which no filter sees.
	io_uring_setup: 425,
	io_uring_enter: 426,
	io_uring_register: 427,
	quotactl_fd: 443,
	memfd_secret: 447,
} as const;

const ARCHITECTURES: Readonly<Partial<Record<string, Architecture>>> = {
	x64: {
		id: 0xc000_003e,
		otherInterface: 0x4000_0000,
		ioctl: 16,
		sockets: [41, 53],
		shmget: 29,
		notPermitted: {
			// It reads the messages of the kernel.
			syslog: 103,
			acct: 163,
			quotactl: 179,
			init_module: 175,
			delete_module: 176,
			finit_module: 313,
			kexec_load: 246,
			kexec_file_load: 320,
		},
		notThere: {
			...NOT_THERE_ANYWHERE,
			// A user's keys are visible to all processes with that user id, whatever their namespaces.
			add_key: 248,
			request_key: 249,
			keyctl: 250,
			// They run programs in the kernel, observe it, or stall it.
			bpf: 321,
			perf_event_open: 298,
			userfaultfd: 323,
			// Memory created by these calls belongs to no process and no folder, so no limit applies to it.
			memfd_create: 319,
			semget: 64,
			msgget: 68,
			// Only programs from before 64-bit systems use them.
			uselib: 134,
			modify_ldt: 154,
		},
	},
	arm64: {
		id: 0xc000_00b7,
		ioctl: 29,
		sockets: [198, 199],
		shmget: 194,
		notPermitted: {
			syslog: 116,
			acct: 89,
			quotactl: 60,
			init_module: 105,
			delete_module: 106,
			finit_module: 273,
			kexec_load: 104,
			kexec_file_load: 294,
		},
		notThere: {
			...NOT_THERE_ANYWHERE,
			add_key: 217,
			request_key: 218,
			keyctl: 219,
			bpf: 280,
			perf_event_open: 241,
			userfaultfd: 282,
			memfd_create: 279,
			semget: 190,
			msgget: 186,
		},
	},
};

/**
 * Unix, IPv4, IPv6 and netlink: the families that programs use, and that the network namespace confines. Others reach
 * the machine below (vsock) or rarely examined parts of the kernel, and requesting one loads its module.
 */
const FAMILIES = [1, 2, 10, 16];

/** They write into the input of a terminal, as if its user had typed (TIOCSTI), or of the console (TIOCLINUX). */
const TERMINAL_REQUESTS = [0x5412, 0x541c];

/**
 * System V shared memory belongs to no process either. Databases like PostgreSQL need a few bytes of it to know that
 * they run alone; the kernel has 4,096 segments at most, which are 16 MB of this size.
 */
const LARGEST_SEGMENT_BYTES = 4_096;

/**
 * Returns the program with which the kernel filters the calls of all programs in a sandbox, for bubblewrap's
 * `--seccomp`. Calls of another architecture end their process. Returns undefined for an architecture (Node's name)
 * other than x64 and arm64, where the namespaces alone must do.
 */
export function systemCallFilter(architecture: string): Buffer | undefined {
	const known = Object.hasOwn(ARCHITECTURES, architecture) ? ARCHITECTURES[architecture] : undefined;
	if (known === undefined) {
		return undefined;
	}
	return assemble(load(ARCHITECTURE), whenEqual(known.id, load(NUMBER), ...checksOf(known)), answer(END_PROCESS));
}

/** Returns the checks of a call's number, which is loaded. Each match ends the filter. */
function checksOf({ otherInterface, ioctl, sockets, shmget, notPermitted, notThere }: Architecture): Program[] {
	return [
		...(otherInterface === undefined ? [] : [whenAtLeast(otherInterface, answer(NOT_THERE))]),
		...Object.values(notPermitted).map(number => whenEqual(number, answer(NOT_PERMITTED))),
		...Object.values(notThere).map(number => whenEqual(number, answer(NOT_THERE))),
		...sockets.map(number =>
			whenEqual(
				number,
				load(argument(0)),
				...FAMILIES.map(family => whenEqual(family, answer(ALLOW))),
				answer(NO_SUCH_FAMILY),
			),
		),
		whenEqual(
			shmget,
			load(upperHalfOf(1)),
			whenAtLeast(1, answer(NOT_THERE)),
			load(argument(1)),
			whenAtLeast(LARGEST_SEGMENT_BYTES + 1, answer(NOT_THERE)),
			answer(ALLOW),
		),
		whenEqual(ioctl, load(argument(1)), ...TERMINAL_REQUESTS.map(request => whenEqual(request, answer(NOT_PERMITTED)))),
		answer(ALLOW),
	];
}

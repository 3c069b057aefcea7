import { once } from 'node:events';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Clock, singleFlight, systemClock } from '../../base/async.ts';
import { type ChildOptions, runChild } from '../../base/childProcess.ts';
import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import { firstLine } from '../../base/plainText.ts';
import { newTemporaryFolder } from '../../base/temporaryFolder.ts';
import type { SandboxStatus } from '../../contract/agents.ts';
import { makeTemporaryFolder, prepareFolders } from './folders.ts';
import { readHost, type SandboxHost } from './host.ts';
import { wrapMacos } from './macos.ts';
import { packageFolders } from './packageFolders.ts';
import { wrap } from './wrap.ts';

const WORKING_MS = 10 * 60_000;
/** A failure is remembered only briefly, as users who have just installed bubblewrap want to see that it works. */
const FAILED_MS = 5_000;

/** A busy machine takes seconds for 20 ms of work. */
const START_LIMIT_MS = 30_000;

const DETAIL_CHARACTERS = 200;

/** bubblewrap 0.8 is the first version that can forbid further user namespaces. */
const OLD_BUBBLEWRAP = /Unknown option/i;

/**
 * Finds out whether a sandbox works here, by starting one: containers and AppArmor may forbid it even if all programs
 * are installed. Simultaneous callers share one start. A success is remembered for ten minutes, a failure for five
 * seconds. Never rejects.
 */
export const probeSandbox = remembered(() => trySandbox(), systemClock);

/** Returns `probe` with its answers remembered as described for `probeSandbox`. */
export function remembered(probe: () => Promise<SandboxStatus>, clock: Clock): () => Promise<SandboxStatus> {
	let last: { status: SandboxStatus; until: number } | undefined;
	const run = singleFlight(async () => {
		const status = await probe();
		last = { status, until: clock.elapsed() + (status.works ? WORKING_MS : FAILED_MS) };
		return status;
	});
	return async () => (last !== undefined && clock.elapsed() < last.until ? last.status : run());
}

/**
 * Starts a program that does nothing in a sandbox without a relay. If that is not permitted, the reason is looked for
 * in the `proc` folder of `root`.
 */
export async function trySandbox(host?: SandboxHost, root = '/'): Promise<SandboxStatus> {
	if (process.platform !== 'linux' && process.platform !== 'darwin') {
		return { works: false, problem: 'platform' };
	}
	let folder: string | undefined;
	try {
		const facts = process.platform === 'darwin' ? undefined : (host ?? readHost());
		if (facts !== undefined && facts.missing.length > 0) {
			return { works: false, problem: 'not-installed', detail: `Not found: ${facts.missing.join(', ')}.` };
		}
		folder = await realpath(await newTemporaryFolder('sandbox'));
		return await (facts === undefined ? tryMacos(folder) : tryIn(folder, facts, root));
	} catch (error) {
		return { works: false, problem: 'not-permitted', detail: firstLine(describeError(error), DETAIL_CHARACTERS) };
	} finally {
		if (folder !== undefined) {
			await rm(folder, { recursive: true, force: true }).catch(() => {});
		}
	}
}

async function tryIn(folder: string, host: SandboxHost, root: string): Promise<SandboxStatus> {
	const signal = AbortSignal.timeout(START_LIMIT_MS);
	await prepareFolders({ tree: folder, home: folder, signal });
	const command = wrap(
		{ command: '/bin/sh', args: ['-c', 'exit 0'], env: {}, tree: folder, home: folder, name: 'probe', readOnly: [] },
		host,
	);
	const { exitCode, output } = await outcomeOf({ ...command, cwd: '/', signal });
	if (exitCode === 0) {
		return { works: true };
	}
	const detail = firstLine(output, DETAIL_CHARACTERS) || NO_MESSAGE;
	return OLD_BUBBLEWRAP.test(output)
		? { works: false, problem: 'not-installed', detail: `bubblewrap 0.8 or newer is needed: ${detail}` }
		: {
				works: false,
				problem: 'not-permitted',
				detail,
				...defined({ forbidden: await whatForbids(host.programs.bwrap, root) }),
			};
}

/**
 * A program for Node that exits with 0 if it can write into its home, but can neither read nor write beside it, nor
 * reach a server of this machine: `<home> <folder> <port>`. The folder has a file `outside`.
 */
export const CONFINED_PROGRAM = `
	const { readFileSync, writeFileSync } = require('node:fs');
	const [home, folder, port] = process.argv.slice(1);
	const isRefused = attempt => { try { attempt(); return false; } catch { return true; } };
	writeFileSync(home + '/made', '');
	const isConfined =
		isRefused(() => readFileSync(folder + '/outside')) && isRefused(() => writeFileSync(folder + '/planted', ''));
	require('node:net').connect(Number(port), '127.0.0.1')
		.on('connect', () => process.exit(1))
		.on('error', () => process.exit(isConfined ? 0 : 1));
`;

/**
 * The sandbox of macOS must not only run our own Node but also prove that it confines: the system's own services decide
 * what its profile means, and they differ from version to version.
 */
async function tryMacos(folder: string): Promise<SandboxStatus> {
	const signal = AbortSignal.timeout(START_LIMIT_MS);
	const home = path.join(folder, 'home');
	await mkdir(home);
	await makeTemporaryFolder(home);
	await writeFile(path.join(folder, 'outside'), '');
	const server = createServer().listen(0, '127.0.0.1');
	try {
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const node = await packageFolders(process.execPath, os.homedir(), [folder]);
		const command = wrapMacos({
			command: node.command,
			args: ['-e', CONFINED_PROGRAM, home, folder, String(port)],
			env: { ELECTRON_RUN_AS_NODE: '1' },
			tree: home,
			home,
			readOnly: node.readOnly,
		});
		const { exitCode, output } = await outcomeOf({ ...command, cwd: home, signal });
		return exitCode === 0
			? { works: true }
			: { works: false, problem: 'not-permitted', detail: firstLine(output, DETAIL_CHARACTERS) || NO_MESSAGE };
	} finally {
		server.close();
	}
}

const NO_MESSAGE = 'It ended without a message.';

async function outcomeOf(options: ChildOptions): Promise<{ exitCode: number | undefined; output: string }> {
	let output = '';
	const { exitCode } = await runChild({
		...options,
		onOutput(_stream, bytes) {
			output = (output + bytes.toString()).slice(0, DETAIL_CHARACTERS * 32);
		},
	});
	return { exitCode, output };
}

/** Settings that forbid user namespaces to programs that are not root, with the values that permit them. */
const NAMESPACE_SETTINGS = [
	{ setting: 'kernel.unprivileged_userns_clone', permits: '1' },
	{ setting: 'user.max_user_namespaces', permits: '15000' },
];

/** Ubuntu has it since 23.10, and forbids by default since 24.04. Programs with a profile of their own are exempt. */
const APPARMOR_SETTING = 'kernel.apparmor_restrict_unprivileged_userns';

/** Returns the kernel setting that forbids user namespaces here, and the command that permits them. */
async function whatForbids(bwrap: string, root: string): Promise<SandboxStatus['forbidden']> {
	const read = async (...parts: string[]) =>
		(await readFile(path.join(root, 'proc', ...parts), 'utf8').catch(() => '')).trim();
	const settingOf = (setting: string) => read('sys', ...setting.split('.'));
	for (const { setting, permits } of NAMESPACE_SETTINGS) {
		if ((await settingOf(setting)) === '0') {
			const line = `${setting} = ${permits}`;
			return { setting, command: `echo '${line}' | sudo tee /etc/sysctl.d/60-errand.conf && sudo sysctl --system` };
		}
	}
	// It applies only to programs without a profile. In a container with one, that profile forbids them.
	const isConfined = (await read('self', 'attr', 'current')).endsWith('(enforce)');
	if (isConfined || (await settingOf(APPARMOR_SETTING)) !== '1') {
		return undefined;
	}
	const profile = `abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap ${bwrap} flags=(unconfined) {\\n  userns,\\n}\\n`;
	return {
		setting: APPARMOR_SETTING,
		command: `printf '${profile}' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`,
	};
}

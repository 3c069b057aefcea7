// The three windows of the soak and the services behind them: the one of this machine, one for a team on many machines,
// and one that misbehaves. A fourth place has no window, but a local service that other programs use.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOST_TOKEN, SCM, startSourceHost, USER } from '../../scripts/start/team.ts';
import { SampleFolder } from '../support/sampleFolder.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { TaskServer } from '../support/taskServer.ts';
import { TcpRelay } from '../support/tcpRelay.ts';
import { noteStates } from '../support/teamIntegrity.ts';
import { TeamService } from '../support/teamService.ts';
import { openTestWindow, SAMPLE_NAME } from '../support/useWindow.ts';
import { MODEL, type SoakModel } from './model.ts';
import { localTruth, Place, Site, type SiteOptions, servedTruth, teamTruth } from './site.ts';

const SERVICE_DISK = '96m';
const CONVERSATIONS_DISK = '16m';
/** The idle time of a service that does not end by itself, in seconds. */
const ALWAYS = 100_000;
const KEY = 'sk-0123456789abcdefSOAK';
const NO_PORT = 1;
export const SLOTS = 2;

export interface Sites {
	local: Site;
	team: Site;
	misbehaving: Site;
	windows: readonly Site[];
	programs: Place;
	/** The local service of that place, which is never ended. */
	ownService: ServiceProcess;
	service: TeamService;
	tasks: TaskServer;
	relays: { team: TcpRelay; misbehaving: TcpRelay };
	/** The file with the offset of the clock; undefined where no program's clock can be set. */
	clockFile: string | undefined;
	/** Folders with small file systems of their own, by what is in them; none where none can be mounted. */
	disks: Record<string, string>;
	/** Whether routes can be taken away. */
	hasOwnNetwork: boolean;
	stop(): Promise<void>;
}

/** `folder` is one that other users reach, because PostgreSQL does not run as root. */
export async function openSites(
	folder: string,
	model: SoakModel,
	{ anyOf, hasOwnNetwork }: { anyOf<T>(items: readonly T[]): T | undefined; hasOwnNetwork: boolean },
): Promise<Sites> {
	const endings: (() => unknown)[] = [];
	const stop = async () => {
		for (const end of endings.splice(0).reverse()) {
			await end();
		}
	};
	try {
		return { ...(await open()), stop };
	} catch (error) {
		await stop();
		throw error;
	}

	async function open(): Promise<Omit<Sites, 'stop'>> {
		const clock = clockOf(folder);
		const clockVariables = clock?.variables ?? {};
		const environment = { NODE_OPTIONS: '--inspect-port=0', ...clockVariables };
		const samples = Object.fromEntries(
			['local', 'team', 'misbehaving', 'programs'].map(name => [
				name,
				new SampleFolder(path.join(folder, name, SAMPLE_NAME)),
			]),
		) as Record<SiteOptions['name'] | 'programs', SampleFolder>;
		const hosts = await Promise.all(
			(['team', 'misbehaving'] as const).map(name =>
				startSourceHost(path.join(folder, name, 'host'), samples[name].folder),
			),
		);
		endings.push(() => Promise.all(hosts.map(host => host.stop())));
		const service = await TeamService.start({
			bundle: true,
			// A crash would otherwise take back what was already read.
			isDurable: true,
			configuration: {
				demo: true,
				upstreams: [{ slug: 'tested', url: model.upstream.url, models: [MODEL] }],
				sources: [hosts[0]?.source],
				limits: { tasksAtOnce: 1_000, requestsAMinute: 1_000_000, requestsAtOnce: 1_000 },
			},
			environment,
		});
		endings.push(() => service.stop());
		await noteStates(service.pool);
		const token = await service.addUser(USER);
		await service.setSourceToken(USER, SCM, HOST_TOKEN);
		await Promise.all([...[1, 2].map(() => service.startFrontEnd()), ...[1, 2].map(() => service.startWorker(SLOTS))]);
		const frontEndPort = () => Number(new URL(anyOf([...service.frontEnds])?.address ?? `http://host:${NO_PORT}`).port);
		const tasks = await TaskServer.start();
		const relays = {
			team: await TcpRelay.start(frontEndPort),
			misbehaving: await TcpRelay.start(Number(new URL(tasks.address).port)),
		};
		endings.push(
			() => tasks.stop(),
			() => Object.values(relays).forEach(relay => void relay.stop()),
		);
		const disks: Record<string, string> = {};
		const mount = (what: string, place: string, size: string) => {
			if (mountSmallDisk(place, size)) {
				disks[what] = place;
				endings.push(() => unmount(place));
			}
		};
		mount('a local service', path.join(folder, 'state-local'), SERVICE_DISK);
		const chat = { 'errand.chat.model': MODEL, 'errand.tasks.agent': 'demo', 'errand.tasks.refreshInterval': 5 };
		const offers = {
			models: [{ id: MODEL, label: 'Small' }],
			agents: [{ id: 'demo', label: 'Demo', models: [MODEL] }],
		};
		const elsewhere = (name: string, fields: object) => ({
			...chat,
			'errand.local.upstreams': { ollama: false },
			'errand.connections': { [name]: { label: name, ...offers, ...fields } },
			'errand.connection': name,
		});
		const teamAddress = relays.team.address;
		const settings: Record<SiteOptions['name'], Record<string, unknown>> = {
			local: { ...chat, 'errand.local.upstreams': { ollama: false, tested: { url: model.upstream.url } } },
			team: elsewhere('team', {
				...{ apiUrl: teamAddress, cloudUrl: teamAddress, agentUrl: teamAddress },
				...{ service: 'errand', scm: SCM },
			}),
			misbehaving: elsewhere('misbehaving', {
				apiUrl: model.upstream.origin,
				cloudUrl: relays.misbehaving.address,
				encryptUrl: model.enclave.server.origin,
				service: 'misbehaving',
			}),
		};
		const openSite = async (name: SiteOptions['name'], fields: Pick<SiteOptions, 'truth' | 'key'>): Promise<Site> => {
			const stateFolder = path.join(folder, `state-${name}`);
			const env = { ERRAND_STATE_HOME: stateFolder, ...clockVariables };
			const window = await openTestWindow({ settings: settings[name], env }, samples[name]);
			const site = new Site({ name, window, stateFolder, ...fields });
			endings.push(() => site.close());
			if (name === 'misbehaving') {
				const storage = path.join(window.server.dataFolder, 'server', 'data', 'User', 'globalStorage', 'errand.errand');
				mount('conversations', path.join(storage, 'conversations'), CONVERSATIONS_DISK);
			}
			await site.begin();
			return site;
		};
		const stateFolder = path.join(folder, 'state-programs');
		const sample = samples.programs;
		const programs = new Place({ name: 'programs', sample, stateFolder, truth: localTruth(stateFolder) });
		const ownService = await ServiceProcess.start({ stateFolder, idleSeconds: ALWAYS, environment });
		endings.push(() => ownService.stop());
		const local = await openSite('local', { truth: localTruth(path.join(folder, 'state-local')) });
		const team = await openSite('team', { truth: teamTruth(service), key: token });
		const misbehaving = await openSite('misbehaving', { truth: servedTruth(tasks), key: KEY });
		return {
			...{ local, team, misbehaving, windows: [local, team, misbehaving], programs, ownService },
			...{ service, tasks, relays, disks, hasOwnNetwork, clockFile: clock?.file },
		};
	}
}

/** Mounts a small file system in memory, which only root may do. */
function mountSmallDisk(folder: string, size: string): boolean {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	// A run that is broken off must not leave it behind.
	process.once('exit', () => unmount(folder));
	return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder]).status === 0;
}

/** Whoever still uses it keeps it to its end. */
function unmount(folder: string): void {
	spawnSync('umount', ['--lazy', folder]);
}

/** Returns the variables with which libfaketime, where it is installed, gives programs a clock that can be set. */
function clockOf(folder: string): { file: string; variables: Record<string, string> } | undefined {
	const library = process.env['ERRAND_TEST_FAKETIME'] ?? globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
	if (library === undefined) {
		return undefined;
	}
	const before = new Set(sharedMemory());
	// A process that is killed leaves what libfaketime shares with its children.
	process.once('exit', () => sharedMemory().forEach(name => void (before.has(name) || rmSync(name, { force: true }))));
	const file = path.join(folder, 'clock');
	setClock(file, '+0');
	return {
		file,
		variables: {
			LD_PRELOAD: library,
			FAKETIME_TIMESTAMP_FILE: file,
			FAKETIME_CACHE_DURATION: '1',
			FAKETIME_DONT_FAKE_MONOTONIC: '1',
		},
	};
}

const sharedMemory = (): string[] => globSync('/dev/shm/{sem.,}faketime_*');

/** `offset` is in the words of libfaketime, such as `+3d`. */
export function setClock(file: string, offset: string): void {
	writeFileSync(file, `${offset}\n`);
}

// The three windows of the soak and the services behind them: the one of this machine, one for a team on many machines,
// and one that misbehaves.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOST_TOKEN, SCM, startSourceHost, USER } from '../../scripts/start/team.ts';
import { SampleFolder } from '../support/sampleFolder.ts';
import { TaskServer } from '../support/taskServer.ts';
import { TcpRelay } from '../support/tcpRelay.ts';
import { noteStates } from '../support/teamIntegrity.ts';
import { TeamService } from '../support/teamService.ts';
import { openTestWindow, SAMPLE_NAME } from '../support/useWindow.ts';
import { MODEL, type SoakModel } from './model.ts';
import { localTruth, Site, type SiteOptions, servedTruth, teamTruth } from './site.ts';

const SMALL_DISK = '96m';
const KEY = 'sk-0123456789abcdefSOAK';
const NO_PORT = 1;
export const SLOTS = 2;

export interface Sites {
	local: Site;
	team: Site;
	misbehaving: Site;
	service: TeamService;
	tasks: TaskServer;
	relays: { team: TcpRelay; misbehaving: TcpRelay };
	/** The file with the offset of the clock; undefined where no program's clock can be set. */
	clockFile: string | undefined;
	/** The folder of a local service on a file system of its own; undefined where none can be mounted. */
	smallDisk: string | undefined;
	stop(): Promise<void>;
}

/** `folder` is one that other users reach, because PostgreSQL does not run as root. */
export async function openSites(folder: string, model: SoakModel, anyOf: <T>(items: readonly T[]) => T | undefined) {
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
		const samples = Object.fromEntries(
			['local', 'team', 'misbehaving'].map(name => [name, new SampleFolder(path.join(folder, name, SAMPLE_NAME))]),
		) as Record<SiteOptions['name'], SampleFolder>;
		const hosts = await Promise.all(
			(['team', 'misbehaving'] as const).map(name =>
				startSourceHost(path.join(folder, name, 'host'), samples[name].folder),
			),
		);
		endings.push(() => Promise.all(hosts.map(host => host.stop())));
		const service = await TeamService.start({
			bundle: true,
			configuration: {
				demo: true,
				upstreams: [{ slug: 'tested', url: model.upstream.url, models: [MODEL] }],
				sources: [hosts[0]?.source],
				limits: { tasksAtOnce: 1_000, requestsAMinute: 1_000_000, requestsAtOnce: 1_000 },
			},
			environment: { NODE_OPTIONS: '--inspect-port=0', ...clockVariables },
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
		const smallDisk = mountSmallDisk(path.join(folder, 'state-local'));
		if (smallDisk !== undefined) {
			endings.push(() => execFileSync('umount', [smallDisk]));
		}
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
		const team = relays.team.address;
		const settings: Record<SiteOptions['name'], Record<string, unknown>> = {
			local: { ...chat, 'errand.local.upstreams': { ollama: false, tested: { url: model.upstream.url } } },
			team: elsewhere('team', { apiUrl: team, cloudUrl: team, agentUrl: team, service: 'errand', scm: SCM }),
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
			await site.begin();
			return site;
		};
		return {
			local: await openSite('local', { truth: localTruth(path.join(folder, 'state-local')) }),
			team: await openSite('team', { truth: teamTruth(service), key: token }),
			misbehaving: await openSite('misbehaving', { truth: servedTruth(tasks), key: KEY }),
			...{ service, tasks, relays, smallDisk, clockFile: clock?.file },
		};
	}
}

/** Mounts a small file system in memory, which only root may do. */
function mountSmallDisk(folder: string): string | undefined {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=0700`, 'tmpfs', folder], { stdio: 'pipe' });
		// A run that is broken off must not leave it behind.
		process.once('exit', () => spawnSync('umount', ['--lazy', folder]));
		return folder;
	} catch {
		return undefined;
	}
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

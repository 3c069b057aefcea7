import { DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands, type SettingId } from '../platform/ids.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import type { LocalService } from './api.ts';
import type { LocalServiceDependencies, LocalServiceFeature } from './localServiceFeature.ts';

/** The state key of the model that the service offered first when it was last asked. */
const DEFAULT_MODEL_KEY = 'errand.localModel';

/** The settings that the service receives although they do not change its offer. */
const TASK_SETTINGS: readonly SettingId[] = [
	'errand.local.sandbox',
	'errand.local.ownAccounts',
	'errand.local.allowedAccounts',
	'errand.tasks.maxCost',
	'errand.chat.routing',
	'errand.chat.zeroDataRetention',
];

/**
 * Registers the commands and the listeners that are needed from the start. The rest is loaded when the service is first
 * used.
 */
export function registerLocalService(dependencies: LocalServiceDependencies): LocalService {
	const { models, globalState, logger } = dependencies;
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	const stoppedChanged = store.add(new Emitter<void>());
	let isStopped = false;
	let loaded: Promise<LocalServiceFeature> | undefined;
	const feature = () => {
		loaded ??= import('./localServiceFeature.ts').then(({ LocalServiceFeature }) =>
			store.add(
				new LocalServiceFeature(dependencies, {
					stoppedChanged(now) {
						isStopped = now;
						stoppedChanged.fire();
					},
					changed: () => changed.fire(),
					offered(model) {
						if (globalState.get(DEFAULT_MODEL_KEY) !== model) {
							void globalState.update(DEFAULT_MODEL_KEY, model);
						}
					},
				}),
			),
		);
		return loaded;
	};
	const ask: LocalServiceFeature['ask'] = async (choose, body, signal) => (await feature()).ask(choose, body, signal);
	const service = async () => (await feature()).service();
	const steps = () => import('../client/local/taskSteps.ts');
	const handOver = async (): Promise<void> => {
		// If this window has not used the service yet, the first use hands everything over.
		await (await loaded)?.handOver();
	};
	const explainHandover = (error: Error): void =>
		logger.log('warn', 'changed settings could not be handed over', { reason: error.message });
	const noticeChange = (): void => {
		handOver()
			.then(() => changed.fire())
			.catch(explainHandover);
	};
	store.add(models.onDidChangeUpstreams(noticeChange));
	store.add(onDidChangeSetting(['errand.local.agents'], noticeChange));
	store.add(onDidChangeSetting(TASK_SETTINGS, () => void handOver().catch(explainHandover)));
	store.add(registerCommand(commands.stopLocalService, async () => (await feature()).stop()));
	store.add(registerCommand(commands.setUpAgents, async () => (await feature()).setUpAgents()));
	return {
		transport: async inner => (await feature()).transport(inner),
		warm: async () => void (await service()),
		describe: async () => (await feature()).describe(),
		describeAll: async () => (await feature()).describeAll(),
		handOver,
		async answerFoundServer(answer) {
			await ask(calls => calls.answerFoundServer, answer);
			changed.fire();
		},
		origin: async () => (await service()).address,
		nameRepositories: async folders => void (await ask(calls => calls.nameRepositories, { folders: [...folders] })),
		checkTask: request => ask(calls => calls.checkTask, request),
		createTask: request => ask(calls => calls.createTask, request),
		allow: async consent => void (await ask(calls => calls.sendConsent, consent)),
		agentSettings: async () => (await import('./localServiceFeature.ts')).currentTaskSettings(logger),
		keepWork: async taskId => (await ask(calls => calls.keepWork, { taskId })).branchName,
		composeWork: (taskId, composition) => ask(calls => calls.composeWork(taskId), composition),
		readSteps: async (...asked) => (await steps()).readSteps(await service(), ...asked),
		saveStepBundle: async (...asked) => (await steps()).saveStepBundle(await service(), ...asked),
		readSearchPlan: async (...asked) => (await steps()).readSearchPlan(await service(), ...asked),
		searchSteps: async (...asked) => (await steps()).searchSteps(await service(), ...asked),
		monthlyUse: async () => (await ask(calls => calls.monthlyUse)).months,
		defaultModel: () => globalState.get<string>(DEFAULT_MODEL_KEY),
		isStopped: () => isStopped,
		onDidChangeStopped: stoppedChanged.event,
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}

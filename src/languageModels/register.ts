// The chat models of the active connection, offered through the editor's interface for language models. A model's id
// begins with its connection, so that a model that was chosen never leads to another service. The editor asks for the
// models when an extension does, and when it is told of a change, but not when its own list is opened. So it is told
// as soon as a window has learnt which models there are, and of other changes only where somebody has asked before:
// asking starts the local service.
import * as vscode from 'vscode';
import { onFirstUse } from '../base/async.ts';
import { DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { LANGUAGE_MODEL_VENDOR } from '../platform/ids.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import type { LanguageModels } from './api.ts';
import type { LanguageModelProvider, ModelRequestParts } from './languageModelProvider.ts';
import type { ModelListParts } from './modelList.ts';

/** The parts that the root provides to this feature. */
export interface LanguageModelsDependencies {
	globalStorageUri: vscode.Uri;
	list: ModelListParts;
	requests: ModelRequestParts;
	/** The events after which the list may have changed. */
	changes: {
		/** Fires when another connection becomes active or keys have changed. */
		readonly onDidChange: Event<void>;
		/** Fires when the active connection's models have changed, and when they are first known. */
		readonly onDidLearnModels: Event<void>;
	};
}

/** Offers the models to the editor. The implementation is loaded when the models are first requested. */
export function registerLanguageModels({
	globalStorageUri,
	list: listParts,
	requests,
	changes,
}: LanguageModelsDependencies): LanguageModels {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	const folder = vscode.Uri.joinPath(globalStorageUri, 'languageModels').fsPath;
	const ledger = onFirstUse(async () => new (await import('./useLedger.ts')).UseLedger(folder));
	let loaded: Promise<LanguageModelProvider> | undefined;
	const provider = () => {
		loaded ??= Promise.all([import('./languageModelProvider.ts'), import('./modelList.ts'), ledger()]).then(
			([{ LanguageModelProvider }, { ModelList }, opened]) =>
				new LanguageModelProvider(new ModelList(listParts), {
					...requests,
					ledger: opened,
					changed: () => changed.fire(),
				}),
		);
		return loaded;
	};
	// The editor asks for the models whenever it is notified of a change. In a window in which nobody has used a model,
	// that would load everything and start the local service.
	const change = () => {
		if (loaded) {
			changed.fire();
		}
	};
	store.add(changes.onDidChange(change));
	/** The number of lists in progress. */
	let listing = 0;
	const list: LanguageModelProvider['provideLanguageModelChatInformation'] = async options => {
		listing++;
		try {
			return await (await provider()).provideLanguageModelChatInformation(options);
		} finally {
			listing--;
		}
	};
	// By itself, the editor does not even ask when its list of models is opened: it shows those that were reported
	// before. Models that are learnt while a list is made are in that list.
	store.add(changes.onDidLearnModels(() => listing === 0 && changed.fire()));
	store.add(
		onDidChangeSetting(['errand.chat.routing', 'errand.chat.zeroDataRetention', 'errand.chat.parameters'], change),
	);
	store.add(
		onDidChangeSetting(['errand.languageModels.access'], () => {
			change();
			void loaded?.then(({ access }) => access.reset());
		}),
	);
	store.add(
		vscode.lm.registerLanguageModelChatProvider(LANGUAGE_MODEL_VENDOR, {
			onDidChangeLanguageModelChatInformation: changed.event as vscode.Event<void>,
			provideLanguageModelChatInformation: list,
			provideLanguageModelChatResponse: async (model, ...rest) =>
				(await provider()).provideLanguageModelChatResponse(model, ...rest),
			provideTokenCount: async (model, text) => (await provider()).provideTokenCount(model, text),
		} satisfies vscode.LanguageModelChatProvider<Parameters<LanguageModelProvider['provideTokenCount']>[0]>),
	);
	return {
		use: async () => (await ledger()).read(),
		dispose: () => store.dispose(),
	};
}

import * as vscode from 'vscode';
import type { Connection } from '../contract/connection.ts';
import { explainError } from '../platform/notify.ts';
import type { ModelLimits } from './context/model/budget.ts';
import { TURN_MODES } from './modes/model/mode.ts';
import { modeModelsOf } from './modes/modeModels.ts';
import { noModeText } from './modes/words.ts';
import type { ConnectionView } from './protocol.ts';
import type { ChatDependencies } from './register.ts';
import { noModelText } from './strings.ts';

/** The active connection as the page shows it. */
export class ShownConnection {
	private readonly dependencies: Pick<ChatDependencies, 'connection' | 'describeConnection'>;
	private current: ConnectionView = { label: '' };
	private currentLimits: ModelLimits = {};

	constructor(dependencies: Pick<ChatDependencies, 'connection' | 'describeConnection'>) {
		this.dependencies = dependencies;
	}

	get view(): ConnectionView {
		return this.current;
	}

	/** How much the model takes, as far as that is known. */
	get limits(): ModelLimits {
		return this.currentLimits;
	}

	/** Reads it anew. What is wrong with it is part of the view. */
	async read(): Promise<void> {
		const action = vscode.l10n.t('Switch Connection');
		try {
			const { label, model, limits = {} } = await this.dependencies.connection();
			this.currentLimits = limits;
			this.current =
				model === undefined ? { label, problem: { message: noModelText(label), action } } : { label, model };
		} catch (error) {
			this.current = { label: '', problem: { message: explainError(error, '').message, action } };
		}
	}

	/**
	 * Asks what messages can ask for beside chat; resolves with whether the view has changed. Only the local service itself
	 * knows what it has, and nothing waits for it to start.
	 */
	async lookForModes(): Promise<boolean> {
		const before = this.current;
		let described: Connection;
		try {
			described = await this.dependencies.describeConnection();
		} catch {
			// What is wrong with the connection is said by the request itself.
			return false;
		}
		const models = modeModelsOf(described);
		const refused = TURN_MODES.filter(mode => mode !== 'chat' && models[mode] === undefined);
		if (before !== this.current || refused.length === 0) {
			return false;
		}
		const refusedModes = Object.fromEntries(refused.map(mode => [mode, noModeText(mode, before.label)]));
		this.current = { ...before, refusedModes };
		return true;
	}
}

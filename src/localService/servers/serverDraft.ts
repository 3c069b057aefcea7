import type { ModelService } from '../model/modelServices.ts';
import type { AskOptions } from './askServer.ts';

/** How servers are asked: all but what differs between two questions. */
export type AskContext = Omit<AskOptions, 'signal' | 'milliseconds'>;

/** A server that is about to be added or changed. Its key stays here until it goes into the secret storage. */
export interface ServerDraft {
	/** The name of its entry, where it has one already. */
	slug?: string;
	/** How it is called in titles. */
	label: string;
	url: string;
	key?: string;
	/** Set where it is one of the well-known services. */
	service?: ModelService;
}

/** How a step ended beside its own result: the user went back to the step before, or left. */
export type StepEnd = 'back' | undefined;

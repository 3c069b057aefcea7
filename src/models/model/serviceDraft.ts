import type { ModelService } from './modelServices.ts';

/** A service that is about to be added or changed. Its key stays here until it goes into the secret storage. */
export interface ServiceDraft {
	/** The name of its entry, for a model server that has one already. */
	slug?: string;
	/** The wanted name of its entry, for one that runs on this machine. */
	wantedSlug?: string;
	/** How it is called in titles. */
	label: string;
	url: string;
	key?: string;
	/** Set where it is one of the well-known services. */
	service?: ModelService;
	/** The addresses of parts that only a service of the contract has, where it may be one. They are looked for meanwhile. */
	parts?: Promise<Readonly<Record<string, string>>>;
}

/** How a step ended beside its own result: the user went back to the step before, or left. */
export type StepEnd = 'back' | undefined;

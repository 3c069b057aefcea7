/** The settings that the agent reads from its environment. */
export interface AgentSettings {
	/** The address of the model's service, without a path. */
	url: string;
	/** Undefined for a service that requires none. */
	key: string | undefined;
	model: string;
	/** The endpoint, or undefined for the responses endpoint if the service has one. */
	api: 'responses' | 'chat' | undefined;
	/** In tokens. */
	contextLength: number | undefined;
	/** True if the model is known to take images. */
	takesImages: boolean;
	/** The calls for the web that the service answers. */
	web: ReadonlySet<string>;
}

/** Reads the variables `ERRAND_AGENT_…`. Returns a sentence that says which one is missing or wrong. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): AgentSettings | string {
	const of = (name: string) => environment[`ERRAND_AGENT_${name}`] || undefined;
	const url = of('URL');
	const model = of('MODEL');
	const api = of('API');
	const length = of('CONTEXT_LENGTH');
	if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
		return 'ERRAND_AGENT_URL must be the address of a service, such as http://127.0.0.1:11434.';
	}
	if (model === undefined) {
		return 'ERRAND_AGENT_MODEL must be the name of a model.';
	}
	if (api !== undefined && api !== 'responses' && api !== 'chat') {
		return 'ERRAND_AGENT_API must be “responses” or “chat”.';
	}
	if (length !== undefined && !/^[1-9]\d{0,8}$/.test(length)) {
		return 'ERRAND_AGENT_CONTEXT_LENGTH must be a number of tokens.';
	}
	return {
		url: url.replace(/\/+$/, '').replace(/\/v1$/, ''),
		key: of('KEY'),
		model,
		api,
		contextLength: length === undefined ? undefined : Number(length),
		takesImages: of('IMAGES') !== undefined,
		web: new Set(of('WEB')?.split(',')),
	};
}

// The well-known services that speak the OpenAI form of chat completions or Anthropic's form of messages, with the
// addresses from their documents.

export interface ModelService {
	/** The name of its entry in the settings. */
	slug: string;
	label: string;
	/** The address with the API's version. */
	url: string;
	/** The page on which an account's keys are made. */
	keyPage: string;
	/**
	 * Set if the service lists its models to anybody, so that the list does not show whether a key is right.
	 * `checkPath` is the path below the address that does, if there is one.
	 */
	openList?: { checkPath?: string };
	/** Each customer has a separate address, of which `url` is the form. */
	isOwnAddress?: true;
}

export const MODEL_SERVICES: readonly ModelService[] = [
	{
		slug: 'anthropic',
		label: 'Anthropic',
		url: 'https://api.anthropic.com/v1',
		keyPage: 'https://console.anthropic.com/settings/keys',
	},
	{
		slug: 'azure',
		label: 'Azure OpenAI',
		url: 'https://your-resource.openai.azure.com/openai/v1',
		keyPage: 'https://portal.azure.com',
		isOwnAddress: true,
	},
	{
		slug: 'cerebras',
		label: 'Cerebras',
		url: 'https://api.cerebras.ai/v1',
		keyPage: 'https://cloud.cerebras.ai',
	},
	{
		slug: 'deepseek',
		label: 'DeepSeek',
		url: 'https://api.deepseek.com/v1',
		keyPage: 'https://platform.deepseek.com/api_keys',
	},
	{
		slug: 'fireworks',
		label: 'Fireworks AI',
		url: 'https://api.fireworks.ai/inference/v1',
		keyPage: 'https://app.fireworks.ai/settings/users/api-keys',
	},
	{
		slug: 'github',
		label: 'GitHub Models',
		url: 'https://models.github.ai/inference',
		keyPage: 'https://github.com/settings/personal-access-tokens',
	},
	{
		slug: 'gemini',
		label: 'Google Gemini',
		url: 'https://generativelanguage.googleapis.com/v1beta/openai',
		keyPage: 'https://aistudio.google.com/apikey',
	},
	{
		slug: 'groq',
		label: 'Groq',
		url: 'https://api.groq.com/openai/v1',
		keyPage: 'https://console.groq.com/keys',
	},
	{
		slug: 'huggingface',
		label: 'Hugging Face',
		url: 'https://router.huggingface.co/v1',
		keyPage: 'https://huggingface.co/settings/tokens',
		openList: {},
	},
	{
		slug: 'mistral',
		label: 'Mistral AI',
		url: 'https://api.mistral.ai/v1',
		keyPage: 'https://console.mistral.ai/api-keys',
	},
	{
		slug: 'nvidia',
		label: 'NVIDIA NIM',
		url: 'https://integrate.api.nvidia.com/v1',
		keyPage: 'https://build.nvidia.com/settings/api-keys',
		openList: {},
	},
	{
		slug: 'openai',
		label: 'OpenAI',
		url: 'https://api.openai.com/v1',
		keyPage: 'https://platform.openai.com/api-keys',
	},
	{
		slug: 'openrouter',
		label: 'OpenRouter',
		url: 'https://openrouter.ai/api/v1',
		keyPage: 'https://openrouter.ai/keys',
		openList: { checkPath: '/key' },
	},
	{
		slug: 'together',
		label: 'Together AI',
		url: 'https://api.together.xyz/v1',
		keyPage: 'https://api.together.ai/settings/api-keys',
	},
	{
		slug: 'xai',
		label: 'xAI',
		url: 'https://api.x.ai/v1',
		keyPage: 'https://console.x.ai',
	},
];

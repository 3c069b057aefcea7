import type { Target } from './fuzzer.ts';
import { agentTargets } from './targets/agents.ts';
import { channelTargets } from './targets/channel.ts';
import { pageTargets } from './targets/pages.ts';
import { replyTargets } from './targets/replies.ts';
import { requestTargets } from './targets/requests.ts';
import { serviceTargets } from './targets/service.ts';
import { settingTargets } from './targets/settings.ts';
import { storedTargets } from './targets/stored.ts';
import { taskTargets } from './targets/tasks.ts';

/** Everything that reads foreign data. */
export const targets: readonly Target[] = [
	...replyTargets,
	...requestTargets,
	...serviceTargets,
	...pageTargets,
	...storedTargets,
	...settingTargets,
	...channelTargets,
	...agentTargets,
	...taskTargets,
];

import type { Disposable } from '../base/disposable.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { CostsDependencies } from './showCosts.ts';

/** Registers the command. Its implementation is loaded at the first use. */
export function registerCosts(dependencies: CostsDependencies): Disposable {
	return registerCommand(commands.showCosts, async () => (await import('./showCosts.ts')).showCosts(dependencies));
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { commands, FILE_CONTEXT, rowContext, STEP_CONTEXT, type TaskRowFlags, views } from '../../src/platform/ids.ts';

interface MenuItem {
	command?: string;
	submenu?: string;
	when?: string;
	group?: string;
}

interface Contributed {
	commands: { command: string; title: string; enablement?: string }[];
	submenus: { id: string; label: string }[];
	menus: Record<string, MenuItem[]>;
}

type Context = Readonly<Record<string, string | boolean | number>>;

const { contributes }: { contributes: Contributed } = JSON.parse(readFileSync('package.json', 'utf8'));
const { menus } = contributes;

/** Evaluates a `when` clause of package.json: comparisons, patterns and plain keys, with `!`, `&&` and `||`. */
function holds(when: string | undefined, context: Context): boolean {
	return (
		when === undefined || when.split(' || ').some(all => all.split(' && ').every(term => holdsTerm(term, context)))
	);
}

function holdsTerm(term: string, context: Context): boolean {
	const [, key = '', operator, operand = ''] = /^(!?[\w.]+)(?: (==|!=|=~) (.*))?$/.exec(term) ?? assert.fail(term);
	if (operator === undefined) {
		return key.startsWith('!') ? !context[key.slice(1)] : Boolean(context[key]);
	}
	const value = String(context[key] ?? '');
	if (operator === '=~') {
		const [, pattern = ''] = /^\/(.*)\/$/.exec(operand) ?? assert.fail(term);
		return new RegExp(pattern).test(value);
	}
	return (value === operand) === (operator === '==');
}

const shown = (menu: string, context: Context): MenuItem[] =>
	menus[menu]?.filter(({ when }) => holds(when, context)) ?? [];

/** The items of the menu of a row of the tasks, without the buttons on the row. */
const menuOf = (viewItem: string): MenuItem[] =>
	shown('view/item/context', { view: views.tasks, viewItem }).filter(({ group = '' }) => !group.startsWith('inline'));

const flagNames: (keyof TaskRowFlags)[] = ['branch', 'race', 'keepable', 'comments', 'failed', 'sandbox', 'dashboard'];

/** Every combination of flags, in the order in which they are named. */
const flagSets = Array.from({ length: 2 ** flagNames.length }, (_, bits) =>
	Object.fromEntries(flagNames.map((name, at) => [name, (bits & (2 ** at)) !== 0])),
);

describe('the menus of package.json', () => {
	// Those for a log that is open as a document are three of them.
	it('belong to at most 50 commands', () => {
		assert.ok(contributes.commands.length <= 50, `${contributes.commands.length}`);
	});

	it('has at most nine rows and two submenus for a task, an agent of one, a file and a step, in every state', () => {
		const contexts = (['task active', 'task final', 'result'] as const).flatMap(kind =>
			flagSets.map(flags => rowContext(kind, flags)),
		);
		for (const viewItem of [...contexts, FILE_CONTEXT, STEP_CONTEXT]) {
			const items = menuOf(viewItem);
			const rows = items.filter(({ command }) => command !== undefined);
			assert.ok(rows.length <= 9, `${viewItem}: ${rows.length}`);
			assert.ok(items.length - rows.length <= 2, viewItem);
			assert.equal(new Set(rows.map(({ command }) => command)).size, rows.length, `${viewItem}: a row twice`);
		}
	});

	it('begins, for a task that has ended with changes, with what is done most often', () => {
		const viewItem = rowContext('task final', { branch: true, dashboard: true });
		const names = menuOf(viewItem)
			.sort((one, other) => ((one.group ?? '') < (other.group ?? '') ? -1 : 1))
			.map(({ command, submenu }) => command ?? submenu);
		assert.deepEqual(names, [
			commands.reviewTaskChanges,
			commands.applyTaskChanges,
			commands.openTaskLog,
			commands.continueTask,
			commands.newDecision,
			'errand.taskBranch',
			'errand.taskLog',
			commands.archiveTask,
		]);
	});

	it('offers in a submenu what the row can do', () => {
		const ids = contributes.submenus.map(({ id }) => id);
		assert.deepEqual(
			Object.keys(menus).filter(menu => menu.startsWith('errand.')),
			ids,
		);
		const log = (flags: Partial<TaskRowFlags>) =>
			shown('errand.taskLog', { viewItem: rowContext('task final', flags) });
		const opens = ({ command }: MenuItem) => command === commands.openTaskDashboard;
		assert.deepEqual(
			[log({}), log({ sandbox: true }), log({ dashboard: true })].map(items => items.some(opens)),
			[false, true, true],
		);
	});

	it('has above a review of all changes, and above one file of them, what takes them', () => {
		const buttons = (context: Context) =>
			shown('editor/title', context)
				.filter(({ group = '' }) => group.startsWith('navigation'))
				.map(({ command }) => command);
		const taking = [commands.takeHunk, commands.compareWithFile, commands.applyTaskChanges];
		const review = { activeEditor: 'multiDiffEditor', resourceScheme: 'multi-diff-editor' };
		assert.deepEqual(buttons({ ...review, 'errand.showsChanges': true }), taking);
		assert.deepEqual(buttons({ ...review, 'errand.showsChanges': false }), []);
		for (const activeEditor of ['workbench.editors.textDiffEditor', 'workbench.editors.files.textFileEditor']) {
			assert.deepEqual(buttons({ activeEditor, resourceScheme: 'errand-change', 'errand.showsChanges': true }), taking);
			assert.deepEqual(buttons({ activeEditor, resourceScheme: 'file', 'errand.showsChanges': true }), []);
		}
	});

	it('has every command in a menu or in the palette', () => {
		const inMenus = new Set(
			Object.entries(menus).flatMap(([menu, items]) =>
				menu === 'commandPalette' ? [] : items.map(({ command }) => command),
			),
		);
		const hidden = menus['commandPalette']?.filter(({ when }) => when === 'false') ?? [];
		assert.deepEqual(
			hidden.map(({ command }) => command).filter(command => !inMenus.has(command)),
			[],
		);
	});

	describe('in the palette', () => {
		const rows = (context: Context): string[] => {
			const clauses = new Map(menus['commandPalette']?.map(({ command, when }) => [command, when]));
			return contributes.commands
				.filter(({ command, enablement }) => holds(enablement, context) && holds(clauses.get(command), context))
				.map(({ command }) => command);
		};
		const firstDay: Context = { 'errand.tasksState': 'loading', 'errand.isActive': true, workspaceFolderCount: 1 };

		it('show on the first day only what can do something without a task, a conversation or an editor', () => {
			assert.deepEqual(
				rows(firstDay).sort(),
				[
					commands.addContext,
					commands.addService,
					commands.manageKeys,
					commands.newConversation,
					commands.newDecision,
					commands.newEncryptedConversation,
					commands.openTaskLog,
					commands.refreshTasks,
					commands.setUpAgents,
					commands.showAttestation,
					commands.showCosts,
					commands.showLog,
					commands.startTask,
					commands.stopLocalService,
					commands.switchConnection,
				].sort(),
			);
		});

		it('show what is done with tasks once there are some, and with conversations likewise', () => {
			const withTasks = rows({ ...firstDay, 'errand.hasTasks': true });
			const forTasks = ['view/item/context', 'errand.taskBranch', 'errand.taskLog'].flatMap(
				menu => menus[menu]?.flatMap(({ command }) => command ?? []) ?? [],
			);
			assert.deepEqual(
				forTasks.filter(command => !withTasks.includes(command)),
				// From a file's row, or from an editor that shows one.
				[commands.compareWithFile],
			);
			const withConversations = rows({ ...firstDay, 'errand.hasConversations': true });
			for (const command of [commands.openConversation, commands.exportConversation]) {
				assert.ok(withConversations.includes(command), command);
			}
		});
	});
});

// Decides which of an agent's requests the user is asked about.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PermissionOption, PermissionRequest, ToolCall, ToolKind } from '../../agents/session/events.ts';
import { type DecisiveReason, decisiveReason } from '../../base/decisiveFiles.ts';
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { pathWithin } from '../../base/filePlace.ts';
import { parseJson } from '../../base/json.ts';
import type { ApprovalLevel } from './approvals.ts';
import { type CommandRule, isAllowedBy, isReading, ruleFor, ruleText } from './commandRules.ts';

export type Ruling =
	/** `allowances` is what an answer for the whole conversation allows; empty if it could only hold once. */
	| { kind: 'ask'; allowances: readonly Allowance[]; decides?: DecisiveReason | undefined }
	| { kind: 'allow'; because: 'setting' | 'before' }
	| { kind: 'refuse'; reason: RefusalReason };

/** The reasons for which a request is refused without a question. */
export type RefusalReason =
	/** It names more than can be read, so nobody would know what they allow. */
	| 'unreadable'
	/** It does not say what it is for. */
	| 'nothing-said'
	/** The agent offers no answer that holds only once. */
	| 'only-always'
	/** It would change something outside the repositories, where changes are not recorded. */
	| 'beside'
	/** It would change a file in a turn that only plans. */
	| 'plan';

/** A permission that the user gives for a whole conversation. */
export type Allowance =
	/** All changes of files except those that decide what runs. */
	| { kind: 'edits' }
	/** Changes of one file that decides what runs, by its path relative to the agent's folder. */
	| { kind: 'file'; path: string }
	/** Exactly this command, including its further input. */
	| { kind: 'command'; command: string }
	| { kind: 'rule'; rule: CommandRule }
	/** A tool of an MCP server, with any arguments, while server and tool are what the user has agreed to. */
	| { kind: 'tool'; name: string; digest: string }
	/** Pages of a host. */
	| { kind: 'host'; host: string }
	/** Web searches. */
	| { kind: 'search' };

export interface ApprovalRules {
	setting: ApprovalLevel;
	/** Set if nothing may be changed. */
	isPlan?: boolean;
	isSandboxed: boolean;
	/** The agent's folder, as the agent knows it. */
	folder: string;
	/** Returns whether changes at a path in the folder, with slashes, are recorded. */
	isKept(path: string): boolean;
	/** Returns whether a file in the folder, by its path with slashes, is executable now. */
	isExecutable(path: string): boolean;
	/** Resolves the links in a path in the folder, with slashes; undefined if they lead out of the folder or nowhere. */
	linkedPlace(path: string): string | undefined;
	/** The user's allowances for the whole conversation. */
	allowed: readonly Allowance[];
}

const EDITS: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** Kinds of tools that change nothing and reach nothing outside the sandbox. */
const HARMLESS: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);

export function ruleOn({ call, options, complete }: PermissionRequest, rules: ApprovalRules): Ruling {
	if (!complete || call.isInputCut || call.diffs.some(({ isCut }) => isCut)) {
		return { kind: 'refuse', reason: 'unreadable' };
	}
	if (pathsOf(call).length === 0 && call.title === '' && call.command === undefined && call.input === undefined) {
		return { kind: 'refuse', reason: 'nothing-said' };
	}
	if (allowOnce(options) === undefined) {
		return { kind: 'refuse', reason: 'only-always' };
	}
	if (rules.isPlan && isEdit(call)) {
		return { kind: 'refuse', reason: 'plan' };
	}
	if (liesBeside(call, rules)) {
		return { kind: 'refuse', reason: 'beside' };
	}
	if (leadsOutside(call, rules)) {
		return { kind: 'ask', allowances: [] };
	}
	const changes = changesOf(call, rules);
	const allowances = allowancesOf(call, changes, rules);
	if (mayHoldFromBefore(call, rules) && isAllowed(call, allowances, rules)) {
		return { kind: 'allow', because: 'before' };
	}
	const isReadOnly = call.command !== undefined && isUsual(call) && isReading(call.command, rules.folder);
	if (isReadOnly && rules.isSandboxed) {
		return { kind: 'allow', because: 'setting' };
	}
	const decides = changes.find(({ reason }) => reason !== undefined)?.reason;
	return decides === undefined && isAllowedBySetting(call, rules)
		? { kind: 'allow', because: 'setting' }
		: { kind: 'ask', allowances, decides };
}

/** Returns the answer that allows a request once, if the agent offers one. */
export function allowOnce(options: readonly PermissionOption[]): string | undefined {
	return options.find(({ kind }) => kind === 'allow_once')?.id;
}

/** Returns the answer that refuses a request, preferably only once, if the agent offers one. */
export function refusal(options: readonly PermissionOption[]): string | undefined {
	return (options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always'))
		?.id;
}

/** Returns whether a call changes files, whatever kind the agent states. */
export function isEdit(call: ToolCall): boolean {
	return EDITS.has(kindOf(call));
}

/** Returns the allowances of an answer for the whole conversation. */
function allowancesOf(call: ToolCall, changes: readonly FileEdit[], { folder }: ApprovalRules): Allowance[] {
	const { command, mcpTool } = call;
	if (mcpTool !== undefined) {
		return [{ kind: 'tool', ...mcpTool }];
	}
	const web = webCallOf(call);
	if (web !== undefined) {
		return [web.kind === 'page' ? { kind: 'host', host: web.url.host } : { kind: 'search' }];
	}
	if (isEdit(call)) {
		if (changes.some(({ reason }) => reason === 'git')) {
			return [];
		}
		const files = changes.flatMap(({ path, reason }) => (reason ? [{ kind: 'file' as const, path }] : []));
		const isUsualToo = changes.length === 0 || changes.some(({ reason }) => reason === undefined);
		return isUsualToo ? [{ kind: 'edits' }, ...files] : files;
	}
	if (kindOf(call) !== 'execute' || command === undefined) {
		// Another request that looks the same may mean something else.
		return [];
	}
	const rule = isUsual(call) ? ruleFor(command, folder) : undefined;
	return [rule ? { kind: 'rule', rule } : { kind: 'command', command: exactCommand(call) }];
}

/** In a turn that only plans, an earlier answer does not hold for what no sandbox keeps from changing something. */
const mayHoldFromBefore = ({ mcpTool }: ToolCall, { isPlan, isSandboxed }: ApprovalRules): boolean =>
	!isPlan || (isSandboxed && mcpTool === undefined);

function isAllowed(call: ToolCall, needed: readonly Allowance[], { allowed, folder }: ApprovalRules): boolean {
	const { command } = call;
	if (command !== undefined) {
		const exact = exactCommand(call);
		const known = allowed.flatMap(allowance => (allowance.kind === 'rule' ? [allowance.rule] : []));
		return (
			allowed.some(allowance => allowance.kind === 'command' && allowance.command === exact) ||
			(isUsual(call) && known.length > 0 && isAllowedBy(known, command, folder))
		);
	}
	return needed.length > 0 && needed.every(one => allowed.some(other => isDeepStrictEqual(one, other)));
}

/** A page that an agent wants to read, or a web search. */
export type WebCallWanted = { kind: 'page'; url: URL } | { kind: 'search'; query: string };

/** Returns what a call wants of the web, as far as its arguments say it. */
export function webCallOf(call: ToolCall): WebCallWanted | undefined {
	const input = kindOf(call) === 'fetch' && call.mcpTool === undefined ? parseJson(call.input ?? '') : undefined;
	const { url: address, query } = isFields(input) ? input : {};
	const url = typeof address === 'string' ? URL.parse(address) : null;
	if (url !== null) {
		return { kind: 'page', url };
	}
	return typeof query === 'string' ? { kind: 'search', query } : undefined;
}

/** The two forms differ, or a command could end with what looks like the further input of another one. */
const exactCommand = (call: ToolCall): string => {
	const further = furtherInput(call);
	return further === undefined ? (call.command ?? '') : JSON.stringify([call.command, further]);
};

/** Returns whether a command has no further input, so that it runs in the usual place and environment. */
const isUsual = (call: ToolCall): boolean => furtherInput(call) === undefined;

/** The fields by which several agents limit a command's time and output. They do not change what the command does. */
const WAITING = /^(?:timeout(?:_?ms)?|timeoutMs|seconds|yield_time_ms|max_output_tokens)$/;

/** Returns the text of the rule, tool or host among the allowances, to be shown with the question, if there is one. */
export function shownRule(allowances: readonly Allowance[]): string | undefined {
	return allowances.flatMap(allowance => allowanceText(allowance) ?? []).at(0);
}

function allowanceText(allowance: Allowance): string | undefined {
	switch (allowance.kind) {
		case 'rule':
			return ruleText(allowance.rule);
		case 'tool':
			return allowance.name;
		case 'host':
			return allowance.host;
		default:
			return undefined;
	}
}

/** Returns the input of a command beside its words, such as a folder or an environment, as JSON. */
export function furtherInput({ command, input }: Pick<ToolCall, 'command' | 'input'>): string | undefined {
	if (command === undefined || input === undefined) {
		return undefined;
	}
	const { command: _, cmd: __, args: ___, description: ____, ...others } = JSON.parse(input) as Record<string, unknown>;
	const further = Object.entries(others).filter(([name, value]) => !(WAITING.test(name) && typeof value === 'number'));
	return further.length === 0 ? undefined : JSON.stringify(Object.fromEntries(further));
}

/** Derives the kind of a call from its content, because an agent may state a kind that says less than the call does. */
function kindOf({ kind, command, diffs }: ToolCall): ToolKind {
	if (command !== undefined) {
		return 'execute';
	}
	return diffs.length > 0 && !EDITS.has(kind) && kind !== 'execute' ? 'edit' : kind;
}

function isAllowedBySetting(call: ToolCall, { setting, isPlan, isSandboxed }: ApprovalRules): boolean {
	const kind = kindOf(call);
	if (webCallOf(call)?.kind === 'page') {
		// Errand fetches the page, outside of any sandbox.
		return false;
	}
	if (isPlan && kind === 'execute') {
		// The sandbox keeps it from changing anything.
		return isSandboxed;
	}
	if (HARMLESS.has(kind)) {
		// Without a sandbox, an agent reads whatever the user can read.
		return isSandboxed;
	}
	if (setting === 'allow-in-sandbox') {
		// What a server at an address is sent leaves the machine.
		return isSandboxed && call.mcpHost === undefined && call.isMcpOutside === undefined;
	}
	return setting === 'ask-for-commands' && EDITS.has(kind);
}

/** Returns whether a call would change something outside the agent's folder, also through a link. */
function leadsOutside(call: ToolCall, { folder, linkedPlace }: ApprovalRules): boolean {
	return (
		!HARMLESS.has(kindOf(call)) &&
		pathsOf(call).some(named => {
			const within = placeIn(folder, named);
			return within === undefined || linkedPlace(within) === undefined;
		})
	);
}

/** A file that a call would change and, if it decides what runs, the reason. */
interface FileEdit {
	path: string;
	reason?: DecisiveReason;
}

/** Returns the files that a call would change, each with the reason if it decides what runs. */
function changesOf(call: ToolCall, { folder, isExecutable, linkedPlace }: ApprovalRules): FileEdit[] {
	if (HARMLESS.has(kindOf(call))) {
		return [];
	}
	const texts = new Map(call.diffs.map(({ path: named, oldText, newText }) => [named, [oldText, newText] as const]));
	return [...new Set(pathsOf(call))].map(named => {
		const within = placeIn(folder, named) ?? named;
		const change = { texts: texts.get(named), isExecutable: isExecutable(within) };
		// Writing to a link writes to its target.
		const reasons = [within, linkedPlace(within) ?? within].map(place => ({
			path: place,
			...defined({ reason: decisiveReason({ ...change, path: place }) }),
		}));
		return reasons.find(({ reason }) => reason !== undefined) ?? { path: within };
	});
}

/** Returns whether a call would change something in the agent's folder where changes are not recorded. */
function liesBeside(call: ToolCall, { folder, isKept }: ApprovalRules): boolean {
	return (
		EDITS.has(kindOf(call)) &&
		pathsOf(call).some(named => {
			const within = placeIn(folder, named);
			return within && !isKept(within);
		})
	);
}

/** Returns a path that an agent names relative to its folder, with slashes; undefined if it lies elsewhere. */
function placeIn(folder: string, named: string): string | undefined {
	return pathWithin(folder, path.resolve(folder, named))?.split(path.sep).join('/');
}

const pathsOf = ({ locations, diffs }: ToolCall): string[] => [...locations, ...diffs].map(entry => entry.path);

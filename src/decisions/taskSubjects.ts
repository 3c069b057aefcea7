// Decisions about tasks, which need no file.
import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import { input } from '../platform/pick.ts';
import type { TaskPatch } from '../tasks/api.ts';
import { named } from './messages.ts';
import { combineJudgements, DEFAULT_CRITERIA, judgeQuestions, judgeRequests } from './model/judge.ts';
import { readinessRequest } from './model/readiness.ts';
import { triageRequest } from './model/triage.ts';
import { patchLabel } from './sourceReader.ts';
import { partOf, type Subject, type SubjectMaterial, singleRequest } from './subject.ts';

/** The state key of the criteria that were typed last. */
const CRITERIA_KEY = 'errand.decisionCriteria';

/** Returns the subject of `Why Did It Fail?`. Resolves with undefined if no task was chosen. */
export async function triageSubject(argument: unknown, material: SubjectMaterial): Promise<Subject | undefined> {
	const { tasks } = material;
	const title = vscode.l10n.t('Why Did It Fail?');
	const task = await tasks.choose(argument, title, 'failed');
	return (
		task && {
			key: `triage ${task.id}`,
			title: `${title} ${task.title}`,
			async prepare(signal) {
				const target = await material.active();
				const log = await tasks.readLog(task.id, signal);
				const { asked, lines } = triageRequest(task, log);
				const sent = JSON.stringify(asked.state['log']);
				return {
					target,
					...singleRequest(asked),
					parts: [
						partOf('prompt', vscode.l10n.t('prompt of the task'), task.prompt),
						partOf('log', vscode.l10n.t('log of the task: its beginning and its end'), sent),
					],
					warnings: await secretsIn(material, JSON.stringify(asked.state, undefined, 1)),
					lines: Object.fromEntries(lines.map(({ index, text }) => [String(index), text])),
				};
			},
			showEntry: index => tasks.showLogEntry(task.id, index),
		}
	);
}

/** Returns the subject of `Is It Ready?`. Resolves with undefined if no task was chosen. */
export async function readinessSubject(argument: unknown, material: SubjectMaterial): Promise<Subject | undefined> {
	const { tasks } = material;
	const title = vscode.l10n.t('Is It Ready?');
	const task = await tasks.choose(argument, title, 'changed');
	const patch = task && (await tasks.readChanges(task.id, argument, title));
	return (
		task &&
		patch && {
			key: `readiness ${patch.resultKey}`,
			title: `${title} ${task.title}`,
			async prepare() {
				const target = await material.active();
				// The task may have continued since.
				const { resultKey } = patch;
				const now = (await tasks.readChanges(task.id, { resultKey }, title)) ?? patch;
				const asked = readinessRequest(task.prompt, now.text);
				const warnings = await secretsIn(material, `${task.prompt}\n${now.text}`);
				return {
					target,
					...singleRequest(asked),
					parts: [
						partOf('prompt', vscode.l10n.t('prompt of the task'), task.prompt),
						partOf('changes', patchLabel(now), now.text),
					],
					warnings: [...warnings, ...cutWarnings([now])],
				};
			},
		}
	);
}

/**
 * Returns the subject of `Which Is Better?`. Resolves with undefined if nothing was chosen. `kept` has the criteria
 * that were typed last.
 */
export async function judgeSubject(
	argument: unknown,
	material: SubjectMaterial,
	kept: vscode.Memento,
): Promise<Subject | undefined> {
	const { tasks } = material;
	const title = vscode.l10n.t('Which Is Better?');
	const compared = await tasks.readPatches(argument, title);
	if (!compared) {
		return undefined;
	}
	if (compared.patches.length < 2) {
		throw new UserFacingError(
			vscode.l10n.t('Comparing requires two branches. Select two tasks that ended with changes.'),
		);
	}
	const { prompt, patches } = compared;
	return {
		key: `judge ${JSON.stringify([compared.title, patches.map(({ name }) => name)])}`,
		title: `${title} ${compared.title}`,
		async prepare() {
			const target = await material.active();
			const criteria = await input(
				title,
				vscode.l10n.t('What makes one better than another? The model uses this to decide.'),
				kept.get<string>(CRITERIA_KEY) ?? DEFAULT_CRITERIA,
				text => (text.trim() === '' ? vscode.l10n.t('Enter at least one criterion.') : undefined),
			);
			if (criteria === undefined) {
				return undefined;
			}
			await kept.update(CRITERIA_KEY, criteria);
			const contenders = patches.map(({ name, text }) => ({ name: named(name), changes: text }));
			const names = contenders.map(({ name }) => name);
			const warnings = await secretsIn(material, patches.map(({ text }) => text).join('\n'));
			return {
				target,
				requests: judgeRequests(prompt, criteria, contenders),
				questions: judgeQuestions(contenders),
				parts: [
					partOf('prompt', vscode.l10n.t('prompt of the task'), prompt),
					partOf('criteria', criteria, criteria),
					...patches.map((patch, at) => partOf(`solution_${at + 1}`, patchLabel(patch), patch.text)),
				],
				warnings: [...warnings, ...cutWarnings(patches)],
				combine: replies => combineJudgements(names, replies),
			};
		},
	};
}

/** Returns warnings about secrets in a text, as the chat has them for added context. */
async function secretsIn({ readContext }: SubjectMaterial, text: string): Promise<string[]> {
	return (await readContext({ kind: 'text', label: vscode.l10n.t('The state'), text })).warnings;
}

function cutWarnings(patches: readonly TaskPatch[]): string[] {
	return patches
		.filter(({ isCut }) => isCut)
		.map(({ name }) => vscode.l10n.t('The changes of {0} are too long, so only their beginning is sent.', named(name)));
}

import * as vscode from 'vscode';
import type * as z from 'zod';
import { formatNumber } from './amounts.ts';

const SHOWN_VALUE = 60;

/**
 * Describes the problem with a setting's value that its schema found: the field, its value and what is allowed, without
 * a full stop.
 */
export function settingIssueText(issue: z.core.$ZodIssue, value: unknown): string {
	if (issue.code === 'invalid_union') {
		const nearest = nearestOf(issue);
		if (nearest !== undefined) {
			return settingIssueText(nearest, value);
		}
	}
	const field = issue.path.join('.');
	if (issue.code === 'unrecognized_keys') {
		const unknown = issue.keys.map(key => (field === '' ? key : `${field}.${key}`)).join(', ');
		return vscode.l10n.t('there’s no field {0}', unknown);
	}
	const found = issue.path.reduce<unknown>((inner, name) => Object(inner)[name], value);
	if (found === undefined) {
		return vscode.l10n.t('{0} is missing', field);
	}
	const allowed = allowedText(issue);
	// The value is not shown, because an address may contain a password, which may be the very problem.
	if (issue.code === 'custom') {
		return vscode.l10n.t('{0} must be {1}', field, allowed);
	}
	const shown = JSON.stringify(found);
	const short = shown.length > SHOWN_VALUE ? `${shown.slice(0, SHOWN_VALUE).toWellFormed()}…` : shown;
	return field === ''
		? vscode.l10n.t('it is {0}, allowed: {1}', short, allowed)
		: vscode.l10n.t('{0} is {1}, allowed: {2}', field, short, allowed);
}

/** Returns the issue of the closest form of a value that may have several, with its path in the whole value. */
function nearestOf({ errors, path }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue | undefined {
	const inner = errors.flatMap(([first]) => (first === undefined ? [] : [first]));
	const [nearest] = inner.toSorted((one, other) => depthOf(other) - depthOf(one));
	return nearest && depthOf(nearest) > 0 ? { ...nearest, path: [...path, ...nearest.path] } : undefined;
}

const depthOf = (issue: z.core.$ZodIssue): number => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0);

function allowedText(issue: z.core.$ZodIssue): string {
	switch (issue.code) {
		case 'invalid_type':
			return typeText(issue.expected);
		case 'invalid_value':
			return issue.values.map(value => JSON.stringify(value)).join(', ');
		case 'invalid_union':
			return issue.errors
				.flatMap(([first]) => (first === undefined ? [] : [allowedText(first)]))
				.join(vscode.l10n.t(' or '));
		case 'too_small':
			return issue.origin === 'string' || issue.origin === 'array'
				? vscode.l10n.t('a non-empty value')
				: issue.inclusive === false
					? vscode.l10n.t('a number above {0}', formatNumber(issue.minimum))
					: vscode.l10n.t('a number of at least {0}', formatNumber(issue.minimum));
		case 'too_big':
			return issue.origin === 'string'
				? vscode.l10n.t('text of at most {0} characters', formatNumber(issue.maximum))
				: vscode.l10n.t('a number of at most {0}', formatNumber(issue.maximum));
		case 'invalid_format':
			return vscode.l10n.t('lowercase letters, digits, dots, hyphens and underscores, at most 64');
		case 'custom':
			return issue.params?.['isSecure']
				? vscode.l10n.t(
						'an https address without credentials, query or fragment (http is accepted for this machine only)',
					)
				: vscode.l10n.t('an http or https address without credentials, query or fragment');
		default:
			return issue.message;
	}
}

function typeText(expected: string): string {
	const object = vscode.l10n.t('a JSON object');
	const names = new Map([
		['string', vscode.l10n.t('text')],
		['number', vscode.l10n.t('a number')],
		['int', vscode.l10n.t('a whole number')],
		['boolean', vscode.l10n.t('true or false')],
		['array', vscode.l10n.t('a list')],
		['object', object],
		['record', object],
	]);
	return names.get(expected) ?? expected;
}

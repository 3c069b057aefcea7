import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Disposable } from '../../base/disposable.ts';
import { TEXT_COLUMN } from '../model/formatEntry.ts';
import type { TextStyle } from '../model/visibleText.ts';
import type { LogLine } from './logLine.ts';

/** The names of the theme's terminal colours, in the order of their numbers. */
const colourNames = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/**
 * Background colours, by number, on which the theme's own text colour is less readable than the editor's background
 * colour.
 */
const pageOn = {
	light: new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14]),
	dark: new Set([2, 3, 6, 7, 10, 11, 14, 15]),
};

/**
 * The number of lines above and below the visible ones that are coloured too, so that scrolling shows no uncoloured
 * ones.
 */
const MARGIN = 30;

const levelColours = {
	error: 'editorError.foreground',
	warning: 'editorWarning.foreground',
	success: 'terminal.ansiGreen',
	aside: 'descriptionForeground',
	note: 'descriptionForeground',
	/** The part of a line before its text. */
	head: 'descriptionForeground',
} as const;

/** Colours the visible lines of an editor by the theme, with a decoration type for each property in use. */
export class LogDecorations implements Disposable {
	private readonly types = new Map<string, vscode.TextEditorDecorationType>();

	/** `lines` are those of the editor's document. */
	draw(editor: vscode.TextEditor, lines: readonly LogLine[]): void {
		const ranges = new Map<string, vscode.Range[]>([...this.types.keys()].map(key => [key, []]));
		const add = (key: string, line: number, start: number, end: number) => {
			const list = ranges.get(key) ?? [];
			list.push(new vscode.Range(line, start, line, end));
			ranges.set(key, list);
		};
		for (const { start, end } of editor.visibleRanges) {
			const last = Math.min(lines.length - 1, end.line + MARGIN);
			for (let at = Math.max(0, start.line - MARGIN); at <= last; at++) {
				this.line(lines[at], at, add);
			}
		}
		for (const [key, list] of ranges) {
			editor.setDecorations(this.type(key), list);
		}
	}

	private line(
		line: LogLine | undefined,
		at: number,
		add: (key: string, line: number, start: number, end: number) => void,
	): void {
		if (!line) {
			return;
		}
		if (line.level === 'note') {
			add('level:note', at, 0, line.text.length);
			return;
		}
		if (line.isFirst) {
			add('level:head', at, 0, Math.min(TEXT_COLUMN, line.text.length));
		}
		if (line.level !== undefined && line.colours.length === 0) {
			add(`level:${line.level}`, at, TEXT_COLUMN, line.text.length);
		}
		for (const { start, end, style } of line.colours) {
			for (const key of keysOf(style)) {
				add(key, at, start, end);
			}
		}
	}

	private type(key: string): vscode.TextEditorDecorationType {
		let type = this.types.get(key);
		if (!type) {
			type = vscode.window.createTextEditorDecorationType(optionsOf(key));
			this.types.set(key, type);
		}
		return type;
	}

	dispose(): void {
		for (const type of this.types.values()) {
			type.dispose();
		}
		this.types.clear();
	}
}

function keysOf(style: TextStyle): string[] {
	const { foreground, background, ...flags } = style;
	return [
		...(foreground === undefined ? [] : [`foreground:${foreground}`]),
		...(background === undefined ? [] : [`${foreground === undefined ? 'plain-on' : 'background'}:${background}`]),
		...Object.keys(flags),
	];
}

function optionsOf(key: string): vscode.DecorationRenderOptions {
	const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
	const [kind, value = ''] = key.split(':');
	switch (kind) {
		case 'foreground':
			return { rangeBehavior, color: terminalColour(Number(value)) };
		case 'background':
			return { rangeBehavior, backgroundColor: terminalColour(Number(value)) };
		case 'plain-on': {
			const page = { color: new vscode.ThemeColor('editor.background') };
			return {
				rangeBehavior,
				backgroundColor: terminalColour(Number(value)),
				...defined({
					light: pageOn.light.has(Number(value)) ? page : undefined,
					dark: pageOn.dark.has(Number(value)) ? page : undefined,
				}),
			};
		}
		case 'level':
			return { rangeBehavior, color: new vscode.ThemeColor(levelColours[value as keyof typeof levelColours]) };
		case 'bold':
			return { rangeBehavior, fontWeight: 'bold' };
		case 'italic':
			return { rangeBehavior, fontStyle: 'italic' };
		case 'underline':
			return { rangeBehavior, textDecoration: 'underline' };
		default:
			return { rangeBehavior, opacity: '0.7' };
	}
}

function terminalColour(colour: number): vscode.ThemeColor {
	return new vscode.ThemeColor(`terminal.ansi${colour > 7 ? 'Bright' : ''}${colourNames[colour % 8]}`);
}

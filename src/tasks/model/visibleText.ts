// The text of log entries, made safe for an editor: colours are read, and everything else that a terminal would obey is
// made visible. All of it is hostile input.
import { mayHide, showHidden } from '../../base/invisible.ts';
import { LINE_END } from '../../base/plainText.ts';

/** Select Graphic Rendition (ECMA-48): colours and weights, the one sequence that is not shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const COLOUR = /(?:\u001b\[|\u009b)([0-9;:]*)m/g;

/** Control characters that have their own symbol, except tab and newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/g;

/** The style of a part of a text. Colours are numbered as on terminals: 0 to 7, and 8 to 15 for the bright ones. */
export interface TextStyle {
	foreground?: number;
	background?: number;
	bold?: true;
	dim?: true;
	italic?: true;
	underline?: true;
}

/** A styled part of a text. Offsets are in UTF-16 code units; the end is exclusive. */
export interface ColourRun {
	start: number;
	end: number;
	style: TextStyle;
}

/** Returns the text without its colours and with all other hidden characters made visible. Runs in linear time. */
export function visibleText(text: string): string {
	return isOrdinary(text) ? text : show(text.replace(COLOUR, ''));
}

/** Returns the same text with the positions of its colours. */
export function readColours(text: string): { text: string; runs: ColourRun[] } {
	if (isOrdinary(text)) {
		return { text, runs: [] };
	}
	const runs: ColourRun[] = [];
	let shown = '';
	let style: TextStyle = {};
	let read = 0;
	const take = (end: number) => {
		const start = shown.length;
		shown += show(text.slice(read, end));
		if (shown.length > start && Object.keys(style).length > 0) {
			runs.push({ start, end: shown.length, style });
		}
	};
	for (const match of text.matchAll(COLOUR)) {
		take(match.index);
		read = match.index + match[0].length;
		style = restyle(style, match[1] ?? '');
	}
	take(text.length);
	return { text: shown, runs };
}

/** A quick test that is true for most lines. */
function isOrdinary(text: string): boolean {
	return !mayHide(text) && text.isWellFormed();
}

function show(text: string): string {
	return showHidden(text.replace(LINE_END, '\n').replace(CONTROL, symbolOf).toWellFormed());
}

/** The symbol of a control character. */
function symbolOf(character: string): string {
	return character === '\u007f' ? '␡' : String.fromCharCode(0x2400 + character.charCodeAt(0));
}

function restyle(before: TextStyle, parameters: string): TextStyle {
	const codes = parameters.split(/[;:]/).map(Number);
	let style = { ...before };
	for (let at = 0; at < codes.length; at++) {
		const code = codes[at] ?? 0;
		if (code === 0) {
			style = {};
		} else if (code === 38 || code === 48) {
			const { colour, length } = extendedColour(codes.slice(at + 1, at + 5));
			at += length;
			if (colour !== undefined) {
				style[code === 38 ? 'foreground' : 'background'] = colour;
			}
		} else {
			applyCode(style, code);
		}
	}
	return style;
}

/** The codes that begin something, and those that end it. */
const BEGINS: ReadonlyMap<number, 'bold' | 'dim' | 'italic' | 'underline'> = new Map([
	[1, 'bold'],
	[2, 'dim'],
	[3, 'italic'],
	[4, 'underline'],
]);
const ENDS: ReadonlyMap<number, readonly (keyof TextStyle)[]> = new Map([
	[22, ['bold', 'dim']],
	[23, ['italic']],
	[24, ['underline']],
	[39, ['foreground']],
	[49, ['background']],
]);

function applyCode(style: TextStyle, code: number): void {
	if (code >= 30 && code <= 37) {
		style.foreground = code - 30;
	} else if (code >= 40 && code <= 47) {
		style.background = code - 40;
	} else if (code >= 90 && code <= 97) {
		style.foreground = code - 90 + 8;
	} else if (code >= 100 && code <= 107) {
		style.background = code - 100 + 8;
	}
	const begun = BEGINS.get(code);
	if (begun) {
		style[begun] = true;
	}
	for (const ended of ENDS.get(code) ?? []) {
		delete style[ended];
	}
}

/** Maps `5;n` or `2;r;g;b` to the theme's sixteen colours, because only those are legible in every theme. */
function extendedColour(codes: number[]): { colour: number | undefined; length: number } {
	const [kind, first = 0, second = 0, third = 0] = codes;
	if (kind === 2) {
		return { colour: nearest(first, second, third), length: 4 };
	}
	if (kind !== 5) {
		return { colour: undefined, length: codes.length };
	}
	if (first < 16) {
		return { colour: first, length: 2 };
	}
	if (first >= 232) {
		const grey = 8 + (first - 232) * 10;
		return { colour: nearest(grey, grey, grey), length: 2 };
	}
	const part = (value: number) => (value === 0 ? 0 : 55 + value * 40);
	const cube = first - 16;
	return {
		colour: nearest(part(Math.floor(cube / 36)), part(Math.floor(cube / 6) % 6), part(cube % 6)),
		length: 2,
	};
}

function nearest(red: number, green: number, blue: number): number {
	const brightest = Math.max(red, green, blue);
	if (!(brightest >= 40)) {
		return 0;
	}
	const isGrey = brightest - Math.min(red, green, blue) < 32;
	if (isGrey) {
		return brightest < 150 ? 8 : brightest < 220 ? 7 : 15;
	}
	const bit = (value: number) => (value > brightest / 2 ? 1 : 0);
	return bit(red) + 2 * bit(green) + 4 * bit(blue) + (brightest > 200 ? 8 : 0);
}

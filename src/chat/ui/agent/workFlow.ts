import type { Citations } from '../../model/citations.ts';
import { type WorkPiece, workPieces } from '../../model/workPieces.ts';
import type { StepView } from '../../protocol/workProtocol.ts';

/** A run of more finished steps than this is folded. */
const MAXIMUM_LINES = 8;

/** A part of an agent's reply, from top to bottom: a stretch of its text, a step, or folded steps. */
export type FlowPart = TextPart | StepPart | FoldPart;

export interface TextPart {
	readonly kind: 'text';
	readonly key: string;
	/** The offset in the text of the reply. */
	readonly start: number;
	readonly text: string;
	/** True if nothing follows. */
	readonly isLast: boolean;
}

interface StepPart {
	readonly kind: 'step';
	readonly key: string;
	readonly step: StepView;
}

/** Steps that share one line. */
interface FoldPart {
	readonly kind: 'fold';
	readonly key: string;
	readonly steps: readonly StepView[];
}

/**
 * Arranges the text and the steps of a reply while it grows. A step that has its own line keeps it while the reader is
 * watching, so that nothing moves; runs that had finished before are folded whole. Unchanged parts keep their objects.
 */
export class WorkFlow {
	private parts: readonly FlowPart[] = [];
	/** The ids of the steps that keep a line of their own. */
	private readonly kept = new Set<string>();

	/** With `isLive`, the reader is watching the reply grow. */
	update(text: string, steps: readonly StepView[], isLive: boolean): readonly FlowPart[] {
		if (text === '' && steps.length === 0) {
			this.kept.clear();
		}
		const known = new Map(this.parts.map(part => [part.key, part]));
		this.parts = workPieces(text, steps)
			.flatMap(piece => ('steps' in piece ? this.rowsOf(piece.steps, isLive) : [textOf(piece)]))
			.map(fresh => {
				const before = known.get(fresh.key);
				return before !== undefined && isSame(before, fresh) ? before : fresh;
			});
		return this.parts;
	}

	/** Keeps the line of a step that the reader has unfolded or is in. */
	keep(step: string): void {
		this.kept.add(step);
	}

	private rowsOf(steps: readonly StepView[], isLive: boolean): FlowPart[] {
		const rows: FlowPart[] = [];
		for (const stretch of groupsOf(steps, isFoldable)) {
			const isLong = stretch.length > MAXIMUM_LINES;
			const pieces = isLong ? groupsOf(stretch, ({ id }) => !this.kept.has(id)) : stretch.map(step => [step]);
			for (const piece of pieces) {
				const [step] = piece;
				if (piece.length > 1) {
					rows.push({ kind: 'fold', key: `fold ${step?.id}`, steps: piece });
				} else if (step) {
					rows.push({ kind: 'step', key: `step ${step.id}`, step });
				}
			}
			if (isLive && !isLong) {
				for (const { id } of stretch.filter(isFoldable)) {
					this.kept.add(id);
				}
			}
		}
		return rows;
	}
}

/** Returns the text of all parts, separated by blank lines where steps stand in between. */
export function textOfParts(parts: readonly FlowPart[]): string {
	return parts.flatMap(part => (part.kind === 'text' ? [part.text.replace(/^\s*\n/, '').trimEnd()] : [])).join('\n\n');
}

/** Returns the citations of a part of a text. A mark belongs to the part with the character before it. */
export function citationsIn(
	citations: Citations | undefined,
	{ start, end }: { start: number; end: number },
): Citations | undefined {
	return (
		citations && {
			...citations,
			marks: citations.marks
				.filter(({ position }) => position > start && position <= end)
				.map(mark => ({
					...mark,
					position: mark.position - start,
					start: Math.max(0, mark.start - start),
				})),
		}
	);
}

/** Returns whether a step no longer needs attention. */
function isFoldable({ state, approval }: StepView): boolean {
	return state === 'done' && !['waiting', 'no', 'unanswered', 'refused'].includes(approval?.state ?? '');
}

function textOf({ start, text, isLast }: Exclude<WorkPiece<StepView>, { steps: StepView[] }>): TextPart {
	return { kind: 'text', key: `text ${start}`, start, text, isLast };
}

/** Groups consecutive values for which `belongs` is true; every other value is a group of its own. */
function groupsOf<T>(values: readonly T[], belongs: (value: T) => boolean): T[][] {
	const groups: T[][] = [];
	let open: T[] | undefined;
	for (const value of values) {
		if (!belongs(value)) {
			open = undefined;
			groups.push([value]);
		} else if (open === undefined) {
			open = [value];
			groups.push(open);
		} else {
			open.push(value);
		}
	}
	return groups;
}

function isSame(one: FlowPart, other: FlowPart): boolean {
	switch (one.kind) {
		case 'text':
			return other.kind === 'text' && one.text === other.text && one.isLast === other.isLast;
		case 'step':
			return other.kind === 'step' && one.step === other.step;
		case 'fold':
			return (
				other.kind === 'fold' &&
				one.steps.length === other.steps.length &&
				one.steps.every((step, index) => step === other.steps[index])
			);
	}
}

import { type WorkPiece, workPieces } from '../../model/workPieces.ts';
import type { StepView } from '../../protocol/workProtocol.ts';

/** More finished steps in a row than this are folded. */
const MAXIMUM_LINES = 8;

/** What stands in the reply of an agent, from top to bottom: its text, cut where it did something, and what it did. */
export type FlowPart = TextPart | StepPart | FoldPart;

export interface TextPart {
	readonly kind: 'text';
	readonly key: string;
	/** Where it begins in the text of the reply. */
	readonly start: number;
	readonly text: string;
	/** Nothing follows it. */
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
 * Arranges the text and the steps of one reply while it grows. Nothing that has a line loses it to a fold while it is
 * watched, so that nothing moves; what was finished before is folded whole. Parts that did not change keep their objects.
 */
export class WorkFlow {
	private parts: readonly FlowPart[] = [];
	/** The ids of the steps that keep a line of their own. */
	private readonly kept = new Set<string>();

	/** `isLive`: the reader watches it grow. */
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

	/** The step keeps its line, because the reader has unfolded it or is in it. */
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

/** Returns the text of all parts, with a blank line where steps stand in between. */
export function textOfParts(parts: readonly FlowPart[]): string {
	return parts.flatMap(part => (part.kind === 'text' ? [part.text.replace(/^\s*\n|\s+$/g, '')] : [])).join('\n\n');
}

/** Whether a step no longer needs attention. */
function isFoldable({ state, approval }: StepView): boolean {
	return state === 'done' && !['waiting', 'no', 'unanswered', 'refused'].includes(approval?.state ?? '');
}

function textOf({ start, text, isLast }: Exclude<WorkPiece<StepView>, { steps: StepView[] }>): TextPart {
	return { kind: 'text', key: `text ${start}`, start, text, isLast };
}

/** Groups those in a row that belong together; each other one is a group of its own. */
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

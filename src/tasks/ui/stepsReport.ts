import './steps.css';
import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, svg, type TemplateResult } from 'lit';
import { openReport, ReportPage } from '../../platform/ui/reportPage.ts';
import type { FileRow, FromStepsPage, StepColumn, StepsView } from '../model/stepsProtocol.ts';

/** The row of the steps, that of the tests, or the id of a file's row. */
type RowName = 'steps' | 'tests' | number;

/** The columns that are drawn beyond those in sight. */
const MARGIN = 10;

/** The numbers of the rows of steps and tests, by which screen readers count. */
const STEPS_ROW = 1;
const TESTS_ROW = 2;

/**
 * The files of a task by its steps. Only the cells of changes exist, and of these only those of columns in sight: the
 * keys move from one change to the next.
 */
class StepsReport extends ReportPage<StepsView, FromStepsPage> {
	static override properties = {
		row: { state: true },
		at: { state: true },
		from: { state: true },
		columns: { state: true },
	};

	/** The selected cell: its row, and the position of its step. */
	declare row: RowName;
	declare at: number;
	/** The position of the first column in sight. */
	declare from: number;
	/** The number of columns in sight. */
	declare columns: number;
	private request: number | undefined;
	/** True if the selected cell is to be brought into sight, or focused, once it is drawn. */
	private isSought = false;
	private takesFocus = false;

	constructor() {
		super();
		this.row = 'steps';
		this.at = 0;
		this.from = 0;
		this.columns = 0;
		window.addEventListener('resize', () => this.scrolled());
	}

	protected override willUpdate(changes: PropertyValues): void {
		const { view } = this;
		if (!view || !changes.has('view')) {
			return;
		}
		const { columns, request, selected } = view;
		if (this.request !== request && columns.length > 0) {
			const at = columns.findIndex(({ index }) => index === selected);
			this.request = request;
			this.at = at < 0 ? columns.length - 1 : at;
			this.row = 'steps';
			this.isSought = true;
			const focused = document.activeElement;
			this.takesFocus =
				document.hasFocus() && (focused === document.body || focused?.classList.contains('cell') === true);
		}
		// Steps are gone with the folder of their agent.
		this.at = Math.max(0, Math.min(this.at, columns.length - 1));
		if (this.row !== 'steps' && !this.stepsIn(this.row).includes(this.at)) {
			this.row = 'steps';
		}
	}

	protected override updated(): void {
		const cell = this.isSought ? this.querySelector<HTMLElement>('.cell[tabindex="0"]') : null;
		if (cell) {
			this.isSought = false;
			cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
			if (this.takesFocus) {
				cell.focus({ preventScroll: true });
			}
		}
		this.scrolled();
	}

	protected override actions({ tone, agents, agent }: StepsView): TemplateResult {
		return html`${
			agents.length === 0
				? nothing
				: html`<select aria-label=${l10n.t('Agent')} @change=${this.selectAgent}>
						${agents.map((name, at) => html`<option value=${at} ?selected=${at === agent}>${name}</option>`)}
					</select>`
		}
		${tone === 'bad' ? this.button(l10n.t('Try Again'), { kind: 'read-again' }) : nothing}`;
	}

	protected override body(view: StepsView): TemplateResult | typeof nothing {
		const { columns, filesLeft } = view;
		const step = columns[this.at];
		return step
			? html`${this.grid(view)} ${filesLeft === '' ? nothing : html`<p class="left">${filesLeft}</p>`} ${this.details(view, step)}`
			: nothing;
	}

	private grid({ columns, rows }: StepsView): TemplateResult {
		const last = this.from + this.columns;
		const isDrawn = (at: number) => at >= this.from - MARGIN && at <= last + MARGIN;
		return html`<div class="frame" @scroll=${this.scrolled}>
			<div
				role="grid"
				aria-label=${l10n.t('Files by step')}
				aria-rowcount=${rows.length + TESTS_ROW}
				aria-colcount=${columns.length + 1}
				.style=${`--count: ${columns.length}; --selected: ${this.at}`}
				@keydown=${this.press}
				@click=${this.pick}
			>
				<div role="row" class="row steps" aria-rowindex=${STEPS_ROW}>
					<span role="columnheader" class="label" aria-colindex="1">${l10n.t('File')}</span>
					${columns.map((step, at) =>
						isDrawn(at) || (this.row === 'steps' && this.at === at)
							? this.cell('steps', at, { role: 'columnheader', spoken: spokenStep(step), content: step.number })
							: nothing,
					)}
				</div>
				<div role="row" class="row tests" aria-rowindex=${TESTS_ROW}>
					<span role="rowheader" class="label" aria-colindex="1">${l10n.t('Tests')}</span>
					${columns.map((step, at) =>
						step.tests && (isDrawn(at) || (this.row === 'tests' && this.at === at))
							? this.cell('tests', at, {
									spoken: `${step.tests.text}, ${spokenStep(step)}`,
									content: icon(step.tests.outcome),
								})
							: nothing,
					)}
				</div>
				${rows.map((row, number) => this.fileRow(row, number + TESTS_ROW + 1, columns, isDrawn))}
			</div>
		</div>`;
	}

	private fileRow(
		{ id, path, name, folder, cells }: FileRow,
		number: number,
		columns: readonly StepColumn[],
		isDrawn: (at: number) => boolean,
	): TemplateResult {
		return html`<div role="row" class="row" aria-rowindex=${number}>
			<span role="rowheader" class="label" aria-colindex="1" title=${path}
				><bdi>${name}</bdi> <bdi class="folder">${folder}</bdi></span
			>
			${cells.map(({ at, status, text }) => {
				const step = columns[at];
				return step && (isDrawn(at) || (this.row === id && this.at === at))
					? this.cell(id, at, { spoken: `${path}, ${text}, ${spokenStep(step)}`, content: icon(status) })
					: nothing;
			})}
		</div>`;
	}

	private cell(
		row: RowName,
		at: number,
		{ role = 'gridcell', spoken, content }: { role?: string; spoken: string; content: unknown },
	): TemplateResult {
		const isSelected = this.row === row && this.at === at;
		return html`<span
			role=${role}
			class="cell"
			aria-colindex=${at + 2}
			aria-label=${spoken}
			title=${spoken}
			tabindex=${isSelected ? 0 : -1}
			data-row=${row}
			data-at=${at}
			.style=${`--at: ${at}`}
			>${content}</span
		>`;
	}

	private details({ actions, rows }: StepsView, step: StepColumn): TemplateResult {
		const { row, at } = this;
		const file = rows.find(({ id }) => id === row);
		const change = file?.cells.find(cell => cell.at === at);
		return html`<section aria-labelledby="step">
			<h2 id="step" title=${step.title}><bdi>${step.number}</bdi> <bdi>${step.title}</bdi></h2>
			<div class="actions">
				${actions.map(
					({ action, label }, position) =>
						html`<button
							type="button"
							class=${position === 0 ? 'primary' : ''}
							@click=${() => this.post({ kind: 'run-action', action, index: step.index })}
						>
							${label}
						</button>`,
				)}
			</div>
			<p>${step.facts}</p>
			${change ? html`<p><bdi>${file?.path}</bdi>: ${change.text}</p>` : nothing}
			${step.notes.map(note => html`<p>${note}</p>`)}
		</section>`;
	}

	private readonly selectAgent = ({ target }: Event) =>
		this.post({ kind: 'select-agent', agent: Number((target as HTMLSelectElement).value) });

	private readonly open = () => {
		const step = this.view?.columns[this.at];
		if (step) {
			this.post({ kind: 'run-action', action: 'changes', index: step.index });
		}
	};

	private readonly pick = ({ target, detail: clicks }: MouseEvent) => {
		const cell = (target as Element).closest<HTMLElement>('.cell');
		if (cell) {
			const { row = 'steps', at } = cell.dataset;
			this.select(row === 'steps' || row === 'tests' ? row : Number(row), Number(at));
			if (clicks === 2) {
				this.open();
			}
		}
	};

	private readonly press = (event: KeyboardEvent) => {
		if (event.altKey || event.shiftKey || event.metaKey) {
			return;
		}
		const { key, ctrlKey } = event;
		const isRightToLeft = getComputedStyle(this).direction === 'rtl';
		const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
		const backward = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
		const { row, at } = this;
		const places = this.stepsIn(row);
		const rows = this.rowsWith(at);
		const beside = (all: readonly RowName[], by: number) => all[all.indexOf(row) + by];
		const goals: Record<string, () => readonly [RowName | undefined, number | undefined]> = {
			[forward]: () => [row, places.find(place => place > at)],
			[backward]: () => [row, places.findLast(place => place < at)],
			ArrowDown: () => [beside(rows, 1), at],
			ArrowUp: () => [row === 'steps' ? undefined : beside(rows, -1), at],
			Home: () => (ctrlKey ? ['steps', 0] : [row, places[0]]),
			End: () => (ctrlKey ? [rows.at(-1), at] : [row, places.at(-1)]),
		};
		if (key === 'Enter') {
			this.open();
		} else if (goals[key] && (!ctrlKey || key === 'Home' || key === 'End')) {
			const [goal, place] = goals[key]();
			if (goal !== undefined && place !== undefined) {
				this.select(goal, place);
			}
		} else {
			return;
		}
		event.preventDefault();
	};

	private select(row: RowName, at: number): void {
		if (row === this.row && at === this.at) {
			return;
		}
		const index = this.view?.columns[at]?.index;
		if (at !== this.at && index !== undefined) {
			this.post({ kind: 'select-step', index });
		}
		this.row = row;
		this.at = at;
		this.isSought = true;
		this.takesFocus = true;
	}

	/** Returns the positions of the steps for which a row has a cell. */
	private stepsIn(row: RowName): number[] {
		const { columns = [], rows = [] } = this.view ?? {};
		if (row === 'steps') {
			return [...columns.keys()];
		}
		return row === 'tests'
			? columns.flatMap(({ tests }, at) => (tests ? [at] : []))
			: (rows.find(({ id }) => id === row)?.cells.map(({ at }) => at) ?? []);
	}

	/** Returns the rows that have a cell for a step, from top to bottom. */
	private rowsWith(at: number): RowName[] {
		const { columns = [], rows = [] } = this.view ?? {};
		const changed = rows.filter(({ cells }) => cells.some(cell => cell.at === at)).map(({ id }) => id);
		return ['steps', ...(columns[at]?.tests ? (['tests'] as const) : []), ...changed];
	}

	private readonly scrolled = () => {
		const frame = this.querySelector('.frame');
		const width = this.querySelector<HTMLElement>('.cell')?.offsetWidth;
		if (frame && width) {
			this.columns = Math.ceil(frame.clientWidth / width);
			// From right to left, the browser counts backwards.
			const from = Math.floor(Math.abs(frame.scrollLeft) / width);
			// The margin is drawn already.
			this.from = Math.abs(from - this.from) < MARGIN / 2 ? this.from : from;
		}
	};
}

const spokenStep = ({ number, title, facts }: StepColumn) => l10n.t('step {0}: {1}, {2}', number, title, facts);

/** The editor's own icons for changes and tests, as drawings. */
const SHAPES: Readonly<Record<string, string>> = {
	added: 'M2.5 2.5h11v11h-11zM8 5.5v5M5.5 8h5',
	modified: 'M2.5 2.5h11v11h-11zM7 8a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
	deleted: 'M2.5 2.5h11v11h-11zM5.5 8h5',
	renamed: 'M2.5 2.5h11v11h-11zM5 8h6M8.5 5.5 11 8l-2.5 2.5',
	type: 'M2.5 2.5h11v11h-11zM5.5 5.5h5M8 5.5v5',
	passed: 'M3 8.5 6.5 12 13 4.5',
	failed: 'M4 4l8 8M12 4l-8 8',
	unknown: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3Q8 8.800 8 10M8 12v1',
};

function icon(name: string): TemplateResult {
	return html`<svg class="icon ${name}" viewBox="0 0 16 16" aria-hidden="true">${svg`<path d=${SHAPES[name] ?? ''} />`}</svg>`;
}

openReport('steps-report', StepsReport);

import * as vscode from 'vscode';
import { parseJson } from '../base/json.ts';
import { isError } from './fileSubject.ts';
import { fileProblemText, lintFindingText } from './messages.ts';
import { MAXIMUM_FILE_LENGTH } from './model/decisionFile.ts';
import { nearestPlace, placesOf } from './model/jsonPlaces.ts';
import { lintDecision } from './model/lint.ts';

/** The editor shows no more than this of one file. */
const MAXIMUM_DIAGNOSTICS = 1_000;

/**
 * Returns what is to be said of a decision file. The editor itself says where the text is no JSON or does not fit the
 * schema.
 */
export function diagnosticsOf(document: vscode.TextDocument): vscode.Diagnostic[] {
	const text = document.getText();
	const { DiagnosticSeverity } = vscode;
	if (text.length > MAXIMUM_FILE_LENGTH) {
		const problem = { kind: 'too-long' } as const;
		const beginning = new vscode.Range(0, 0, 0, 1);
		return [diagnosticOf(problem.kind, fileProblemText(problem), beginning, DiagnosticSeverity.Error)];
	}
	const value = parseJson(text);
	if (value === undefined) {
		return [];
	}
	const places = placesOf(text);
	return lintDecision(value)
		.slice(0, MAXIMUM_DIAGNOSTICS)
		.map(finding => {
			const { start, end } = nearestPlace(places, finding.path);
			const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
			const severity = isError(finding) ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
			return diagnosticOf(finding.kind, lintFindingText(finding), range, severity);
		});
}

function diagnosticOf(
	code: string,
	message: string,
	range: vscode.Range,
	severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic {
	const diagnostic = new vscode.Diagnostic(range, message, severity);
	diagnostic.source = 'Errand';
	diagnostic.code = code;
	return diagnostic;
}

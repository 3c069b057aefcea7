import { defined } from '../../base/defined.ts';
import type { Verdict } from '../types.ts';
import type { ReasonCode } from './reason.ts';

/** The result of one check. */
export type CheckResult = Omit<Verdict, 'check'>;

/** `values` appear in the sentence about the result; `input` is what the check was based on. */
interface Details {
	values?: readonly string[];
	input?: string | undefined;
}

export const pass = (code: ReasonCode, details?: Details): CheckResult => finding('pass', code, details);
export const fail = (code: ReasonCode, details?: Details): CheckResult => finding('fail', code, details);
export const unknown = (code: ReasonCode, details?: Details): CheckResult => finding('unknown', code, details);

function finding(verdict: Verdict['verdict'], code: ReasonCode, { values, input }: Details = {}): CheckResult {
	return { verdict, code, ...defined({ values, input }) };
}

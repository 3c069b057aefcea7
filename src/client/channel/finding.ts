import type { Verdict } from '../types.ts';

/** What a check saw. */
export type Finding = Omit<Verdict, 'check'>;

export const pass = (reason: string, input?: string): Finding => finding('pass', reason, input);
export const fail = (reason: string, input?: string): Finding => finding('fail', reason, input);
export const unknown = (reason: string, input?: string): Finding => finding('unknown', reason, input);

function finding(verdict: Verdict['verdict'], reason: string, input: string | undefined): Finding {
	return { verdict, reason, ...(input === undefined ? {} : { input }) };
}

import type { Attested, CheckName, Verdict } from '../../client/types.ts';

/** What may be said of a channel, and what may not. */
export interface Summary {
	/** The first check whose failure forbids its use. */
	broken: CheckName | undefined;
	/** Less is proven than before. */
	isDowngrade: boolean;
	/** The service is the one on this machine, which has no hardware to prove. */
	isLocal: boolean;
	hasGenuineGpu: boolean;
	/** That the key lives in the GPU of the evidence. */
	isKeyBound: boolean;
	isFresh: boolean;
}

export function summarise({ verdicts }: Pick<Attested, 'verdicts'>, isLocal: boolean): Summary {
	const verdictOf = (name: CheckName): Verdict['verdict'] | undefined =>
		verdicts.find(({ check }) => check === name)?.verdict;
	return {
		broken: verdicts.find(({ check, verdict }) => verdict === 'fail' && check !== 'memory')?.check,
		isDowngrade: verdictOf('memory') === 'fail',
		isLocal,
		hasGenuineGpu: verdictOf('gpu-evidence') === 'pass',
		isKeyBound: verdictOf('key-binding') === 'pass',
		isFresh: verdictOf('freshness') === 'pass',
	};
}

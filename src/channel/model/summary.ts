import type { Attested, CheckName, Verdict } from '../../client/types.ts';

/** The facts that are proven about a channel. */
export interface Summary {
	/** The first failed check that forbids using the channel. */
	broken: CheckName | undefined;
	isDowngrade: boolean;
	/** True if the service is the local one, which has no hardware to prove. */
	isLocal: boolean;
	hasGenuineGpu: boolean;
	/** True if the key is proven to live in the GPU of the evidence. */
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

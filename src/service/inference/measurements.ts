/** What is known of how one provider serves one model, from the requests that went there. */
export interface Measured {
	/** Seconds to the first chunk. Undefined: nothing fresh is known. */
	latency: number | undefined;
	/** Tokens per second. Undefined: nothing fresh is known. */
	throughput: number | undefined;
	/** From 0 (only failures of late) to 1. */
	uptime: number;
	/** It failed a moment ago, or asked not to be asked for a while. */
	isResting: boolean;
	/** A request went there a moment ago, which may yet measure it. */
	isBeingTried: boolean;
}

/** After so long a measurement counts half of a new one. */
const HALF_LIFE_MS = 5 * 60_000;
/** The same for failures: a provider that is mended should not be avoided for long. */
const FAILURE_HALF_LIFE_MS = 60_000;
/** Below this weight a measurement says nothing of the present any more: about 17 minutes without another. */
const LEAST_WEIGHT = 0.1;
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;
const TRY_MS = 15_000;

/** A mean in which what is older weighs less. */
class DecayingMean {
	private value = 0;
	private weight = 0;
	private at = 0;

	add(sample: number, now: number): void {
		const weight = this.weightAt(now);
		this.value = (this.value * weight + sample) / (weight + 1);
		this.weight = weight + 1;
		this.at = now;
	}

	read(now: number): number | undefined {
		return this.weightAt(now) < LEAST_WEIGHT ? undefined : this.value;
	}

	private weightAt(now: number): number {
		return this.weight * 2 ** (-(now - this.at) / HALF_LIFE_MS);
	}
}

class ServiceRecord {
	readonly latency = new DecayingMean();
	readonly throughput = new DecayingMean();
	private successes = 0;
	private failures = 0;
	private countedAt = 0;
	private failuresInARow = 0;
	restingUntil = 0;
	triedAt = Number.NEGATIVE_INFINITY;

	succeeded(now: number): void {
		this.decay(now);
		this.successes++;
		this.failuresInARow = 0;
		this.restingUntil = 0;
	}

	failed(now: number, retryAfterMs: number | undefined): void {
		this.decay(now);
		this.failures++;
		const restMs = retryAfterMs ?? FIRST_REST_MS * 2 ** Math.min(10, this.failuresInARow);
		this.failuresInARow++;
		this.restingUntil = now + Math.min(LONGEST_REST_MS, restMs);
	}

	/** One success is taken for granted, so that a single failure does not rule out. */
	uptime(now: number): number {
		this.decay(now);
		return (this.successes + 1) / (this.successes + this.failures + 1);
	}

	private decay(now: number): void {
		const factor = 2 ** (-(now - this.countedAt) / FAILURE_HALF_LIFE_MS);
		this.successes *= factor;
		this.failures *= factor;
		this.countedAt = now;
	}
}

/** Of which provider's model something is measured. */
export interface Measurable {
	slug: string;
	model: string;
}

/** Latency, throughput and uptime by provider and model. Old measurements fade, so that every one gets a new chance. */
export class Measurements {
	private readonly records = new Map<string, ServiceRecord>();

	read({ slug, model }: Measurable, now: number): Measured {
		const record = this.records.get(`${slug} ${model}`);
		return {
			latency: record?.latency.read(now),
			throughput: record?.throughput.read(now),
			uptime: record?.uptime(now) ?? 1,
			isResting: record !== undefined && now < record.restingUntil,
			isBeingTried: record !== undefined && now - record.triedAt < TRY_MS,
		};
	}

	tried(subject: Measurable, now: number): void {
		this.recordOf(subject).triedAt = now;
	}

	/** The first chunk has come. That is no success yet: who always breaks off after it would count as good. */
	answered(subject: Measurable, latencySeconds: number, now: number): void {
		this.recordOf(subject).latency.add(latencySeconds, now);
	}

	/** A reply has come, to its end or for as long as somebody read it. */
	served(subject: Measurable, now: number): void {
		this.recordOf(subject).succeeded(now);
	}

	/** The speed of a whole reply is known. */
	generated(subject: Measurable, tokensPerSecond: number, now: number): void {
		this.recordOf(subject).throughput.add(tokensPerSecond, now);
	}

	failed(subject: Measurable, now: number, retryAfterMs?: number): void {
		this.recordOf(subject).failed(now, retryAfterMs);
	}

	private recordOf({ slug, model }: Measurable): ServiceRecord {
		const name = `${slug} ${model}`;
		let record = this.records.get(name);
		if (record === undefined) {
			record = new ServiceRecord();
			this.records.set(name, record);
		}
		return record;
	}
}

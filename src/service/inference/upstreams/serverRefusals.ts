// Learns from a model server's refusals which parameters, and whether images, it does not support. Servers of this
// shape differ in that, publish no list, and each word it differently.
import { type Fields, isFields } from '../../../base/fields.ts';
import { PARAMETERS, type Parameter } from '../../../contract/chatRequest.ts';

/** The maximum number of times that one request is sent again. A server often names one parameter at a time. */
const MAXIMUM_AMENDMENTS = 8;

/** Two names of the same limit. Newer models accept only the second, older servers only the first. */
const LIMIT_NAMES = ['max_tokens', 'max_completion_tokens'] as const;

/** Fields that are meaningless without each other. */
const PAIRS: Readonly<Record<string, string>> = { logprobs: 'top_logprobs', top_logprobs: 'logprobs' };

/** The names of refused fields, each with the name to send its value under instead, or undefined if it is left out. */
type Refused = ReadonlyMap<string, string | undefined>;

export class RefusedParameters {
	private readonly byModel = new Map<string, Map<string, string | undefined>>();

	/** Begins a request for a model, without the parameters that are known to be refused. */
	draft(model: string, body: Fields): RequestDraft {
		const known = this.byModel.get(model) ?? new Map<string, string | undefined>();
		this.byModel.set(model, known);
		return new RequestDraft(body, known);
	}

	/** Returns the parameters that a model does not accept under any name. */
	leftOutFor(model: string): Parameter[] {
		const refused = this.byModel.get(model);
		return refused?.size ? PARAMETERS.filter(name => Object.keys(without(refused, { [name]: true })).length === 0) : [];
	}
}

/** A request that is amended according to the server's refusals. */
export class RequestDraft {
	body: Fields;
	/** The refused fields known for the model, shared by all of its requests. */
	private readonly known: Map<string, string | undefined>;
	private readonly refused: Map<string, string | undefined>;
	/** Fields refused while the model was asked to think, when servers accept fewer parameters than otherwise. */
	private readonly passing = new Set<string>();
	private amendments = 0;

	constructor(body: Fields, known: Map<string, string | undefined>) {
		this.body = without(known, body);
		this.known = known;
		this.refused = new Map(known);
	}

	/** Removes the parameters that the server names as unsupported. Returns false if there is nothing new to send. */
	amend(said: string): boolean {
		const named = this.amendments < MAXIMUM_AMENDMENTS ? namedIn(said, this.body) : [];
		const wanted = wantedIn(said);
		for (const name of named) {
			const other = otherLimit(name);
			const isForThis = other === undefined ? named.length === 1 : wanted?.includes('tokens');
			const instead = isForThis && wanted !== name ? (wanted ?? other) : other;
			const isUsable = instead !== undefined && !Object.hasOwn(this.body, instead) && !this.refused.has(instead);
			this.refused.set(name, isUsable ? instead : undefined);
			if (Object.hasOwn(this.body, 'thinking') && name !== 'thinking') {
				this.passing.add(name);
			}
		}
		if (named.length === 0) {
			return false;
		}
		this.amendments++;
		this.body = without(this.refused, this.body);
		return true;
	}

	/**
	 * Remembers what was removed, now that the server has accepted the rest: only that shows that its words were
	 * understood. Returns what is new, with the name under which each value is sent now.
	 */
	keep(): { field: string; instead: string | undefined }[] {
		const fresh = [...this.refused].filter(([field]) => !this.known.has(field) && !this.passing.has(field));
		for (const [field, instead] of fresh) {
			this.known.set(field, instead);
		}
		return fresh.map(([field, instead]) => ({ field, instead }));
	}
}

/** Returns the other name of a token limit, or undefined for any other field. */
function otherLimit(name: string): string | undefined {
	const [one, other] = LIMIT_NAMES;
	return name === one ? other : name === other ? one : undefined;
}

function without(refused: Refused, body: Fields): Fields {
	const kept = { ...body };
	for (const [name, instead] of refused) {
		if (Object.hasOwn(kept, name)) {
			const value = kept[name];
			delete kept[name];
			if (instead !== undefined) {
				kept[instead] ??= value;
			}
		}
	}
	return kept;
}

/** Words by which servers refuse a parameter, or one of its values. */
const UNSUPPORTED = new RegExp(
	[
		'unsupported|unrecogni[sz]ed|unpermitted|deprecated|forbidden|unavailable|disabled',
		'unknown (?:name|field|param|argument|key|property|option|request)|invalid (?:field|key|property|option)',
		'unexpected(?! (?:value|type|end|token))|extra(?:neous)?[ _](?:fields?|inputs?|keys?|forbidden|param|argument)',
		'additional propert|cannot find field|no such (?:field|param|argument|option)|please remove',
		String.raw`\bnot (?:\w+ )?(?:be )?(?:supported|allowed|permitted|recogni[sz]ed|accepted|implemented|available|used)`,
		String.raw`\bnot (?:an? |one of the |in the list of )?(?:valid|known|supported|allowed) (?:field|param|argument|key|propert|option)`,
		String.raw`(?:n't|\bnot|\bno longer|\bcannot) (?:\w+ )?(?:support|allow|accept|recogni[sz]e|take|permit|use|set|specified|request)\b`,
		String.raw`\bonly (?:.{0,40} )?(?:allowed|supported|accepted|permitted)|may only be|supports? only`,
	].join('|'),
	'i',
);

/** Words about the size of a value. The user meant the value, and another request could not keep it either. */
const OUT_OF_RANGE =
	/\b(?:at (?:most|least)|between|(?:less|greater|more|fewer|larger|smaller|higher|lower) than|maximum|minimum|range|exceeds?|too (?:large|small|high|low|long|many|big))\b/i;

/** The names after these words are alternatives, which the server does accept. */
const ALTERNATIVES =
	/\b(?:did you mean|use|using|try|expected|together with|in combination with|in favou?r of|when)\b|(?<!\bnot )(?<!\bnot \w+ )\b(?:supported|valid|allowed|accepted|permitted|available|known)(?: \w+)?(?: are| is)?:/i;

/** Returns the fields of the body that may be left out and that the server names as unsupported. */
function namedIn(said: string, body: Fields): string[] {
	const fields = Object.keys(body).filter(name => mayBeLeftOut(name, body[name]));
	const clauses = said.split(/[.;\n](?=\s|$)/);
	const refusals = clauses.filter(clause => UNSUPPORTED.test(clause) && !OUT_OF_RANGE.test(clause));
	const named = refusals.flatMap(clause => {
		const [before = ''] = clause.split(ALTERNATIVES);
		const first = fieldsIn(before, fields);
		return first.length > 0 ? first : fieldsIn(clause, fields);
	});
	// Some servers name the parameter in one sentence and say in the next that it is not supported.
	const all = named.length > 0 || refusals.length === 0 || OUT_OF_RANGE.test(said) ? named : fieldsIn(said, fields);
	const limit = LIMIT_NAMES.find(name => name in body);
	const wanted = wantedIn(said);
	const isOtherLimit = limit !== undefined && limit !== wanted && LIMIT_NAMES.some(name => name === wanted);
	return [...new Set([...all.flatMap(name => [name, PAIRS[name] ?? name]), ...(isOtherLimit ? [limit] : [])])];
}

/** Returns false for fields that define the request, or without which the reply would be wrong or of another kind. */
function mayBeLeftOut(name: string, value: unknown): boolean {
	switch (name) {
		case 'model':
		case 'messages':
		case 'system':
		case 'input':
		case 'instructions':
		case 'store':
		case 'stream':
		case 'tools':
			return false;
		case 'tool_choice':
			return value === 'auto';
		case 'response_format':
			return isFields(value) && value['type'] === 'text';
		case 'output_config':
		case 'text':
			return isFields(value) && value['format'] === undefined;
		default:
			return true;
	}
}

/** Servers refuse this field by what it asks for. */
const MEANINGS: Readonly<Record<string, string>> = { include: '(?:include|encrypted_content)' };

/** Returns the fields that a text mentions: the quoted ones if there are any, as most names are ordinary words too. */
function fieldsIn(text: string, fields: readonly string[]): string[] {
	const standing = (before: string, after: string) =>
		fields.filter(name => {
			const words = (MEANINGS[name] ?? name).split('_').join('[-_ ]?');
			return new RegExp(`${before}${words}${after}`, 'i').test(text);
		});
	const quoted = standing(String.raw`['"\`‘“\[./]`, String.raw`['"\`’”\].:]`);
	return quoted.length > 0 ? quoted : standing('(?<![a-z0-9_])', '(?![a-z0-9_])');
}

/** Returns the name that the server wants instead. A parameter with a meaning of its own does not count. */
function wantedIn(said: string): string | undefined {
	const words =
		/\b(?:use|mean|meant|requires?|needs?|wants?|(?:replaced|renamed) (?:by|with|to)|in favou?r of|try)\s+(?:the )?(?:parameter |field )?['"`‘“]?([a-z]+(?:_[a-z]+)+)\b/i;
	const name = words.exec(said)?.[1];
	const isOther = name !== undefined && (PARAMETERS as readonly string[]).includes(name) && name !== 'max_tokens';
	return isOther ? undefined : name;
}

/** Matches refusals about images. Servers of models without images often accept messages with a single text only. */
const IMAGES = /\b(?:images?|image_urls?|vision|visual|multi-?modal|mmproj)\b|\bcontent\b.{0,80}\bstring\b/i;

const REFUSED_IMAGES =
	/unsupported|unknown variant|invalid (?:content )?type|(?:\bnot|n't|\bno|\bcannot|\bonly)\b.{0,60}\b(?:support|accept|take|allow|handle|process|enable|permit|multi-?modal|vision)|\bat most 0\b|must be (?:a |of type )?string|should be (?:a )?(?:valid )?string|missing data required|support image|not (?:a )?(?:multi-?modal|vision)|text[- ]only/i;

/** Words about one image, after which another may still be accepted. */
const ABOUT_ONE =
	/\b(?:formats?|media[ _]?types?|mime|extensions?|too (?:large|big|small|many)|sizes?|dimensions?|resolution|download|fetch|decode|corrupt|base64|exceeds?|limits?|bytes|pixels|(?:invalid|malformed|bad) image|at most [1-9])/i;

/** Returns whether the server's words (`said`) refuse all images. The request must have had images. */
export function refusesImages(said: string): boolean {
	return IMAGES.test(said) && REFUSED_IMAGES.test(said) && !ABOUT_ONE.test(said);
}

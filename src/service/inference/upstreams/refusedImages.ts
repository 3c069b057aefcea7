// Whether a model server's refusal says that its model takes no images. Lists of models do not tell, so a server is asked.

/** What such a refusal is about. Servers of models without images often know messages with one text alone. */
const IMAGES = /\b(?:images?|image_urls?|vision|visual|multi-?modal|mmproj)\b|\bcontent\b.{0,80}\bstring\b/i;

const REFUSED =
	/unsupported|unknown variant|invalid (?:content )?type|(?:\bnot|n't|\bno|\bcannot|\bonly)\b.{0,60}\b(?:support|accept|take|allow|handle|process|enable|permit|multi-?modal|vision)|\bat most 0\b|must be (?:a |of type )?string|should be (?:a )?(?:valid )?string|missing data required|support image|not (?:a )?(?:multi-?modal|vision)|text[- ]only/i;

/** Words about one image, after which another one may be taken. */
const ABOUT_ONE =
	/\b(?:formats?|media[ _]?types?|mime|extensions?|too (?:large|big|small|many)|sizes?|dimensions?|resolution|download|fetch|decode|corrupt|base64|exceeds?|limits?|bytes|pixels|(?:invalid|malformed|bad) image|at most [1-9])/i;

/** Returns whether the words are a refusal of all images. `said` are a server's, about a request with images. */
export function refusesImages(said: string): boolean {
	return IMAGES.test(said) && REFUSED.test(said) && !ABOUT_ONE.test(said);
}

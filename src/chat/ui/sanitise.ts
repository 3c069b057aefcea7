import createDomPurify from 'dompurify';

const purify = createDomPurify(window);

// Exactly the tags that markdown.ts creates. Everything else is removed.
const ALLOWED_TAGS = [
	...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
	...['a', 'em', 'strong', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
];
const ALLOWED_ATTRIBUTES = ['href', 'title', 'class', 'start'];
const ALLOWED_CLASS =
	/^(?:language-\S+(?: file-\S+)?|file-\S+|file|image|align-(?:left|center|right)|control|lines|plain|note)$/;

purify.addHook('uponSanitizeAttribute', (_element, attribute) => {
	if (attribute.attrName === 'class') {
		attribute.keepAttr = ALLOWED_CLASS.test(attribute.attrValue);
	}
});

/** Sanitises the HTML of a model. Nothing in the result runs, loads, or names a resource other than a link. */
export function sanitise(html: string): DocumentFragment {
	const fragment = purify.sanitize(html, {
		ALLOWED_TAGS,
		ALLOWED_ATTR: ALLOWED_ATTRIBUTES,
		ALLOW_DATA_ATTR: false,
		ALLOW_ARIA_ATTR: false,
		ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
		RETURN_DOM_FRAGMENT: true,
	});
	for (const code of fragment.querySelectorAll('pre, code')) {
		code.setAttribute('dir', 'ltr');
	}
	return fragment;
}

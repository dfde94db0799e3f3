/** No inline script or style, nothing from elsewhere, no frame around it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const onEveryAnswer: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Responses are not stored unless they set cache-control. */
export function secured(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(onEveryAnswer)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return new Response(answer.body, { status: answer.status, headers });
}

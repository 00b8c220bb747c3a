/** The target of a request: RFC 9112, section 3.2. */

const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/i;

/** Path and query as they were sent, also from a whole URL; undefined when the URL or the host is not valid. */
export function requestTarget(sent: string, host: string | undefined): string | undefined {
  if (host !== undefined && host !== "" && !URL.canParse(`http://${host}`)) return undefined;
  const rest = ABSOLUTE.exec(sent)?.[1];
  if (rest === undefined) return sent;
  if (!URL.canParse(sent)) return undefined;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

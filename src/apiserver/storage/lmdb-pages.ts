// Which pages of an lmdb file are in use? Walks the trees from their roots, in lmdb's data format 2: each page begins
// with 24 octets of header (kind at 18, length of the index at 20), then the index, whose entries are offsets behind
// the header. An entry of a branch names a page; one of a leaf holds its value, or names a run of pages that hold it.

const HEADER_BYTES = 24;
const KIND_AT = 18;
const INDEX_BYTES_AT = 20;
const BRANCH = 0x01;
const LEAF = 0x02;

const NODE = { low: 0, high: 2, flags: 4, keySize: 6, key: 8 };
const BIG_VALUE = 0x01;
/** First page, transaction and number of pages, eight octets each. */
const RUN = { page: 0, pages: 16, bytes: 24 };

interface PageSource {
  /** How many whole pages there are. */
  readonly pages: number;
  /** The octets of a page that is there. */
  read(page: number): Buffer;
}

/** The first page in use that is missing, or that is not a page of a tree; undefined when the file is whole. */
export function findMissingPage(source: PageSource, root: number): number | undefined {
  const seen = new Set<number>();
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    // A tree reaches each page once; a page that is reached again is part of a circle.
    if (at >= source.pages || seen.has(at)) return at;
    seen.add(at);
    const page = source.read(at);
    const nodes = nodesOf(page);
    if (nodes === undefined) return at;
    const used = nodes.flatMap((node) => (isBranch(page) ? childOf(page, node) : endOfRun(page, node)));
    if (isBranch(page)) open.push(...used);
    else if (used.some((last) => last >= source.pages)) return at;
  }
  return undefined;
}

function isBranch(page: Buffer): boolean {
  return (page.readUInt16LE(KIND_AT) & BRANCH) !== 0;
}

/**
 * Where the nodes of a page of a tree begin; undefined when it is not such a page, or a node would be outside of it.
 */
function nodesOf(page: Buffer): readonly number[] | undefined {
  const count = page.readUInt16LE(INDEX_BYTES_AT) >> 1;
  const isTree = (page.readUInt16LE(KIND_AT) & (BRANCH | LEAF)) !== 0;
  if (!isTree || HEADER_BYTES + 2 * count > page.length) return undefined;
  const nodes = Array.from({ length: count }, (_, at) => HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * at));
  return nodes.every((node) => endOfKey(page, node) <= page.length) ? nodes : undefined;
}

/** Beyond the page when the node begins so near to its end that it has no size. */
function endOfKey(page: Buffer, node: number): number {
  return node + NODE.key > page.length ? node + NODE.key : node + NODE.key + page.readUInt16LE(node + NODE.keySize);
}

function childOf(page: Buffer, node: number): number {
  const low = page.readUInt16LE(node + NODE.low);
  const high = page.readUInt16LE(node + NODE.high);
  return low + high * 2 ** 16 + page.readUInt16LE(node + NODE.flags) * 2 ** 32;
}

/** The last page of a big value, if it is one; one that is described outside of its page ends nowhere. */
function endOfRun(page: Buffer, node: number): readonly number[] {
  if ((page.readUInt16LE(node + NODE.flags) & BIG_VALUE) === 0) return [];
  const run = endOfKey(page, node);
  if (run + RUN.bytes > page.length) return [Number.POSITIVE_INFINITY];
  return [Number(page.readBigUInt64LE(run + RUN.page) + page.readBigUInt64LE(run + RUN.pages)) - 1];
}

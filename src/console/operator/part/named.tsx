/** An id that links to its page, and the name beside it. */
export function Named({ id, name, link }: { id: string; name: string | null; link: string }) {
  return (
    <>
      <a href={link} class="mono">
        {id}
      </a>{" "}
      {name !== null && <span class="soft">{name}</span>}
    </>
  );
}

// Questions to the server, which answers in JSON.

const SILENT = "The server does not answer. Is taskspace explore still running?";

// {answer} or {fault}, a sentence.
export async function post(path, body) {
  try {
    const given = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await given.json();
    return given.ok ? { answer: said } : { fault: sentence(said.error) };
  } catch {
    return { fault: SILENT };
  }
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

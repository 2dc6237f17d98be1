// The search runs in a worker, and browsers start none for pages that were opened from the disk.
// There, a hidden frame does its work. (MkDocs Material would fetch such a script from the network
// if none of ours had this name.) Enough for English, where the worker loads no further scripts.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const page = frame.contentDocument;
      page.open();
      page.write("<body></body>");
      page.close();
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((resolve) => {
        const script = page.createElement("script");
        script.src = url;
        script.onload = resolve;
        page.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}

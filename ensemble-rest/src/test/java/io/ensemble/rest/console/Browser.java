package io.ensemble.rest.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Debian's chromium without a window, driven by the DevTools protocol over the JDK's own web
 * socket.
 */
public final class Browser {

  /** The reason why a test that needs the browser is skipped. */
  public static final String MISSING =
      "chromium is not installed: './install-packages' has it; the console is not tried";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOLD = "DevTools listening on ";
  private static final long LONGEST_SECONDS = 120;
  private static final AtomicReference<Browser> SHARED = new AtomicReference<>();

  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final Map<String, Consumer<JsonNode>> listeners = new ConcurrentHashMap<>();

  private Browser(Process process, Path profile, URI address) {
    this.process = process;
    this.profile = profile;
    this.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(address, new Incoming())
            .orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS)
            .join();
  }

  /** The path of the browser; empty if it is not installed. */
  public static Optional<Path> installed() {
    return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Whether tests that need the browser must not be skipped, as in the gate. */
  public static boolean isRequired() {
    return "required".equals(System.getenv("ENSEMBLE_PACKAGES"));
  }

  /** The browser of all tests of this JVM; it starts at first use and ends with the JVM. */
  public static Browser shared() throws IOException {
    synchronized (SHARED) {
      Browser known = SHARED.get();
      if (known == null) {
        known = start();
        Runtime.getRuntime().addShutdownHook(new Thread(known::close, "chromium-end"));
        SHARED.set(known);
      }
      return known;
    }
  }

  private static Browser start() throws IOException {
    Path profile = Files.createTempDirectory("ensemble-browser");
    List<String> command =
        new ArrayList<>(
            List.of(
                installed().orElseThrow(() -> new IllegalStateException(MISSING)).toString(),
                "--headless=new",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--disable-sync",
                "--disable-breakpad",
                "--disable-default-apps",
                "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication",
                "--disable-domain-reliability",
                "--metrics-recording-only",
                "--mute-audio",
                "--no-default-browser-check",
                "--renderer-process-limit=1",
                "--password-store=basic",
                "--hide-scrollbars",
                "--lang=en-GB"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // Chromium does not run as root with a sandbox.
    }
    command.add("about:blank");
    Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader errors =
        new BufferedReader(
            new java.io.InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
    List<String> said = new ArrayList<>();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      said.add(line);
      if (line.startsWith(TOLD)) {
        drain(errors);
        return new Browser(process, profile, URI.create(line.substring(TOLD.length()).strip()));
      }
    }
    throw new IOException("chromium ended: " + String.join("\n", said));
  }

  private static void drain(BufferedReader errors) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (errors.readLine() != null) {}
              } catch (IOException ended) {
                // The browser has ended.
              }
            },
            "chromium-errors");
    thread.setDaemon(true);
    thread.start();
  }

  /** Opens a page that shares no state with other pages. */
  public BrowserPage page() {
    String context =
        call("", "Target.createBrowserContext", JSON.createObjectNode())
            .get("browserContextId")
            .asText();
    String target =
        call(
                "",
                "Target.createTarget",
                JSON.createObjectNode().put("url", "about:blank").put("browserContextId", context))
            .get("targetId")
            .asText();
    String session =
        call(
                "",
                "Target.attachToTarget",
                JSON.createObjectNode().put("targetId", target).put("flatten", true))
            .get("sessionId")
            .asText();
    return new BrowserPage(this, session, context);
  }

  void listen(String session, Consumer<JsonNode> listener) {
    listeners.put(session, listener);
  }

  void ignore(String session) {
    listeners.remove(session);
  }

  JsonNode call(String session, String method, ObjectNode parameters) {
    int id = calls.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", parameters);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    synchronized (socket) {
      socket.sendText(message.toString(), true).join();
    }
    return answer.orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS).join();
  }

  private final class Incoming implements WebSocket.Listener {

    private final StringBuilder parts = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        String whole = parts.toString();
        parts.setLength(0);
        try {
          take(JSON.readTree(whole));
        } catch (IOException e) {
          throw new AssertionError("the browser speaks JSON", e);
        }
      }
      from.request(1);
      return null;
    }

    private void take(JsonNode message) {
      if (message.has("id")) {
        CompletableFuture<JsonNode> answer = answers.remove(message.get("id").asInt());
        if (answer != null && message.has("error")) {
          answer.completeExceptionally(new IllegalStateException(message.get("error").toString()));
        } else if (answer != null) {
          answer.complete(message.get("result"));
        }
        return;
      }
      Consumer<JsonNode> listener = listeners.get(message.path("sessionId").asText());
      if (listener != null) {
        listener.accept(message);
      }
    }
  }

  /** Ends the process with its children and removes its profile. */
  private void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    try {
      boolean unused = process.destroyForcibly().waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
      try (Stream<Path> files = Files.walk(profile)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    } catch (InterruptedException | IOException | UncheckedIOException e) {
      System.err.println("the browser's profile was not removed; profile=" + profile + " " + e);
    }
  }
}

package io.ensemble.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A page of the browser, as a user sees it; errors in it are kept. */
public final class BrowserPage implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, Integer> KEYS =
      Map.of("Tab", 9, "Enter", 13, "Escape", 27, " ", 32, "ArrowDown", 40);

  private final Browser browser;
  private final String session;
  private final String context;

  /** Errors of scripts, violations of the policy, and what the page wrote to the console. */
  public final List<String> errors = new CopyOnWriteArrayList<>();

  BrowserPage(Browser browser, String session, String context) {
    this.browser = browser;
    this.session = session;
    this.context = context;
    browser.listen(session, this::event);
    call("Page.enable", "{}");
    call("Runtime.enable", "{}");
    call("Log.enable", "{}");
    size(1280, 900, false);
  }

  private void event(JsonNode message) {
    String method = message.get("method").asText();
    JsonNode entry = message.path("params").path("entry");
    if (method.equals("Runtime.exceptionThrown") || method.equals("Runtime.consoleAPICalled")) {
      errors.add(message.get("params").toString());
    } else if (method.equals("Log.entryAdded")
        && !entry.path("source").asText().equals("network")) {
      errors.add(entry.toString());
    }
  }

  private JsonNode call(String method, String parameters) {
    try {
      return browser.call(session, method, (ObjectNode) JSON.readTree(parameters));
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Loads an address. */
  public BrowserPage open(URI address) {
    call("Page.navigate", JSON.createObjectNode().put("url", address.toString()).toString());
    until(
        "the page is loaded",
        "document.readyState === 'complete' && location.href !== 'about:blank'");
    return this;
  }

  public BrowserPage size(int width, int height, boolean phone) {
    call(
        "Emulation.setDeviceMetricsOverride",
        "{\"width\": %d, \"height\": %d, \"deviceScaleFactor\": 1, \"mobile\": %b}"
            .formatted(width, height, phone));
    return this;
  }

  /** Sets a preference of the user's system, such as {@code prefers-color-scheme: dark}. */
  public BrowserPage prefers(String feature, String value) {
    call(
        "Emulation.setEmulatedMedia",
        "{\"features\": [{\"name\": \"%s\", \"value\": \"%s\"}]}".formatted(feature, value));
    return this;
  }

  /** The value of a JavaScript expression, awaited if it is a promise. */
  public JsonNode see(String expression) {
    ObjectNode parameters =
        JSON.createObjectNode()
            .put("expression", expression)
            .put("returnByValue", true)
            .put("awaitPromise", true);
    JsonNode result = call("Runtime.evaluate", parameters.toString());
    assertThat(result.has("exceptionDetails")).as(result.toString()).isFalse();
    return result.get("result").path("value");
  }

  public String text(String selector) {
    return see("document.querySelector(%s)?.innerText ?? ''".formatted(quoted(selector))).asText();
  }

  public static String quoted(String text) {
    return JSON.createObjectNode().textNode(text).toString();
  }

  /** Waits until an expression is true; a failure shows the content of the page. */
  public void until(String what, String expression) {
    until(what, expression, Duration.ofSeconds(60));
  }

  public void until(String what, String expression, Duration longest) {
    String looking =
        """
        new Promise((tell) => {
          const end = Date.now() + %d;
          const look = () => (%s) ? tell(true) : Date.now() > end ? tell(false) : setTimeout(look, 30);
          look();
        })
        """
            .formatted(longest.toMillis(), expression);
    if (!see(looking).asBoolean()) {
      throw new AssertionError(
          "wanted: %s; errors: %s; the page shows:%n%s".formatted(what, errors, text("body")));
    }
  }

  /** Presses a key, as a person does. */
  public BrowserPage press(String key) {
    return press(key, false);
  }

  public BrowserPage press(String key, boolean shift) {
    ObjectNode down =
        JSON.createObjectNode()
            .put("type", key.equals("Enter") ? "keyDown" : "rawKeyDown")
            .put("key", key)
            .put("code", key.equals(" ") ? "Space" : key)
            .put("windowsVirtualKeyCode", KEYS.getOrDefault(key, 0))
            .put("modifiers", shift ? 8 : 0);
    if (key.equals("Enter")) {
      down.put("text", "\r");
    }
    call("Input.dispatchKeyEvent", down.toString());
    call("Input.dispatchKeyEvent", down.deepCopy().put("type", "keyUp").without("text").toString());
    return this;
  }

  /** Types a text where the focus is. */
  public BrowserPage type(String text) {
    call("Input.insertText", JSON.createObjectNode().put("text", text).toString());
    return this;
  }

  /** The page as a PNG, with its part outside the window if {@code whole}. */
  public byte[] picture(boolean whole) {
    return Base64.getDecoder()
        .decode(
            call(
                    "Page.captureScreenshot",
                    "{\"format\": \"png\", \"captureBeyondViewport\": %b}".formatted(whole))
                .get("data")
                .asText());
  }

  @Override
  public void close() {
    browser.ignore(session);
    // The connections of the context end with it.
    browser.call(
        "",
        "Target.disposeBrowserContext",
        JSON.createObjectNode().put("browserContextId", context));
  }
}

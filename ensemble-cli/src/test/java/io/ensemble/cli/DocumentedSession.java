package io.ensemble.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The terminal session in the {@code console} blocks of a document. Lines that begin with {@code $
 * } are typed; the lines after each are its output. Output that differs each time ({@link
 * #VARYING}) is not compared. A {@code …} stands for any text in its line, and a line of it alone
 * for any lines.
 */
public record DocumentedSession(List<Step> steps) {

  private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
  private static final String PROMPT = "$ ";

  /** Precedes the output of each step, with its number, as all output goes to one file. */
  private static final char MARK = '\u001d';

  private static final Pattern MARKED = Pattern.compile(MARK + "(\\d+)\n");

  private static final Map<Pattern, String> VARYING =
      masks(
          "127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT",
          "(?m)^Date: .*$", "Date: WHEN",
          "(?m)^Content-Length: \\d+$", "Content-Length: BYTES",
          "\\b\\d{16,}@[0-9a-f]+", "STAMP",
          "\\b(change\\.\\d+)\\.[0-9a-f]{12}\\.[0-9a-f]{8}\\.", "$1.ID.",
          "\"(phi|silentMillis)\":[0-9.E]+", "\"$1\":NUMBER",
          "REST token: [\\w-]{43}", "REST token: TOKEN",
          "stored in /[^ )]*/\\.ensemble/(federation\\.json\\.rest)-\\d+", "stored in HOME/$1-PID");

  /** A typed line, and the output that the document shows for it, without its last newlines. */
  public record Step(String typed, String shown) {

    /** Whether {@code came} is the shown output, except for what differs each time. */
    public boolean isShown(String came) {
      String wanted =
          Stream.of(masked(shown).split("\n", -1))
              .map(
                  line ->
                      line.equals("…")
                          ? "(?:.*\n)*?"
                          : Stream.of(line.split("…", -1))
                                  .map(Pattern::quote)
                                  .collect(Collectors.joining(".*"))
                              + "\n")
              .collect(Collectors.joining());
      // HTTP ends header lines with a carriage return too.
      String plain = came.replace("\r\n", "\n").stripTrailing();
      return Pattern.matches(wanted, masked(plain) + "\n");
    }
  }

  /** The session of a document. */
  public static DocumentedSession of(String document) {
    List<Step> steps = new ArrayList<>();
    Matcher block = BLOCK.matcher(document);
    while (block.find()) {
      String shown = block.group(1);
      if (!shown.startsWith(PROMPT)) {
        throw new IllegalArgumentException("a session begins with what is typed; got " + shown);
      }
      for (String one : shown.substring(PROMPT.length()).split("\n" + Pattern.quote(PROMPT))) {
        String[] typedAndShown = (one + "\n").split("\n", 2);
        steps.add(new Step(typedAndShown[0], typedAndShown[1].stripTrailing()));
      }
    }
    return new DocumentedSession(List.copyOf(steps));
  }

  /**
   * The session as one script. It ends at the first command that fails, and stops what it started.
   */
  public String script() {
    StringBuilder script =
        new StringBuilder(
            "set -e\ntrap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT\nexec 2>&1\n");
    for (int i = 0; i < steps.size(); i++) {
      script.append("printf '\\035%d\\n'\n%s\n".formatted(i, steps.get(i).typed()));
    }
    return script.toString();
  }

  /** The output of each step that was reached, from the output of the script. */
  public static List<String> came(Path written) throws IOException {
    String[] all = MARKED.split(Files.readString(written), -1);
    return List.of(all).subList(1, all.length);
  }

  private static Map<Pattern, String> masks(String... patternsAndWords) {
    Map<Pattern, String> all = new LinkedHashMap<>();
    for (int i = 0; i < patternsAndWords.length; i += 2) {
      all.put(Pattern.compile(patternsAndWords[i]), patternsAndWords[i + 1]);
    }
    return all;
  }

  private static String masked(String text) {
    String masked = text;
    for (Map.Entry<Pattern, String> one : VARYING.entrySet()) {
      masked = one.getKey().matcher(masked).replaceAll(one.getValue());
    }
    return masked;
  }
}

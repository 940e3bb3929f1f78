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
 * What a document shows of a terminal, in its blocks {@code console}: lines that begin with {@code
 * $ } are typed, what follows each is what comes. What differs each time ({@link #VARYING}) is not
 * compared; a {@code …} stands for anything in its line, a line of nothing else for any lines.
 */
public record DocumentedSession(List<Step> steps) {

  private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
  private static final String PROMPT = "$ ";

  /** Stands before what each step writes, with its number: the output of all is one file. */
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

  /** Something that is typed, and what the document says that comes, without its last newlines. */
  public record Step(String typed, String shown) {

    /** Whether that is what came, but for what differs each time. */
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
      // HTTP ends the lines of its headers otherwise.
      String plain = came.replace("\r\n", "\n").stripTrailing();
      return Pattern.matches(wanted, masked(plain) + "\n");
    }
  }

  /** Of a document. */
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
   * All of it as one script, which ends at the first command that fails, and all it has started.
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

  /** What came at each step that was reached, of what the script has written. */
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

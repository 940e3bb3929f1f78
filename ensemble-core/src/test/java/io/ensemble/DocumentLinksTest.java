package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.HouseRules.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each link of a page leads to a file of the repository, and to a heading that exists. */
@Execution(ExecutionMode.CONCURRENT)
class DocumentLinksTest {

  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  @Test
  void eachLinkLeadsSomewhere() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();
    List<Source> pages =
        HouseRules.sourcesUnder(root).stream().filter(s -> s.path().endsWith(".md")).toList();

    assertThat(pages).extracting(Source::path).contains("README.md", "docs/federation.md");
    assertThat(broken(root, pages)).isEmpty();
  }

  @Test
  void aBrokenLinkIsFound() {
    Path root = Path.of("").toAbsolutePath().getParent();
    Source page =
        new Source(
            "docs/a.md",
            "# A `b`, c\n[x](#a-b-c) [y](nowhere.md) [z](#nowhere) [h](https://a.example)\n"
                + "```\n[code](nowhere.md)\n```\n");

    assertThat(broken(root, List.of(page)))
        .containsExactly("docs/a.md: nowhere.md", "docs/a.md: #nowhere");
  }

  private static List<String> broken(Path root, List<Source> pages) {
    Map<Path, Set<String>> anchors = new HashMap<>();
    pages.forEach(page -> anchors.put(Path.of(page.path()), anchors(page)));
    List<String> broken = new ArrayList<>();
    for (Source page : pages) {
      Matcher links = LINK.matcher(CODE.matcher(page.text()).replaceAll(""));
      while (links.find()) {
        String link = links.group(1);
        if (!link.matches("[a-z]+:.*") && !leadsSomewhere(root, page, link, anchors)) {
          broken.add(page.path() + ": " + link);
        }
      }
    }
    return broken;
  }

  private static boolean leadsSomewhere(
      Path root, Source page, String link, Map<Path, Set<String>> anchors) {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path from = Path.of(page.path());
    Path to = file.isEmpty() ? from : from.resolveSibling(file).normalize();
    if (!file.isEmpty() && !Files.exists(root.resolve(to))) {
      return false;
    }
    return hash < 0
        || !anchors.containsKey(to)
        || anchors.get(to).contains(link.substring(hash + 1));
  }

  /** The anchors that GitHub makes of the headings of a page. */
  private static Set<String> anchors(Source page) {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    Matcher headings = HEADING.matcher(CODE.matcher(page.text()).replaceAll(""));
    while (headings.find()) {
      String text = headings.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
      String anchor =
          text.strip()
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
              .replace(' ', '-');
      int before = seen.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }
}

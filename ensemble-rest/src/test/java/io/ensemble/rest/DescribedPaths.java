package io.ensemble.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.json.StrictJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The paths of an OpenAPI document, found by the path of a request. */
record DescribedPaths(JsonNode document, List<Template> templates) {

  private record Template(Pattern pattern, int fixedLength, JsonNode operations) {}

  static DescribedPaths of(byte[] document) {
    JsonNode root = StrictJson.parse(document);
    List<Template> all = new ArrayList<>();
    root.get("paths")
        .properties()
        .forEach(
            path ->
                all.add(
                    new Template(
                        Pattern.compile(path.getKey().replaceAll("\\{[a-z]+}", "[^/]+")),
                        path.getKey().replaceAll("\\{[a-z]+}", "").length(),
                        path.getValue())));
    all.sort(Comparator.comparingInt(Template::fixedLength).reversed());
    return new DescribedPaths(root, List.copyOf(all));
  }

  /**
   * The operations of the template that fits a path with the most fixed text; null if none fits.
   */
  @Nullable JsonNode operations(String path) {
    return templates.stream()
        .filter(template -> template.pattern().matcher(path).matches())
        .map(Template::operations)
        .findFirst()
        .orElse(null);
  }
}

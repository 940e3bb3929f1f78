package io.ensemble.cli.reference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The reference of REST: the requests and the schemas of an OpenAPI document. */
final class RestReference {

  private static final String SCHEMAS = "#/components/schemas/";

  private final StringBuilder page = new StringBuilder();

  private RestReference() {}

  static String page(JsonNode document) {
    RestReference reference = new RestReference();
    reference.write(document);
    return reference.page.toString();
  }

  private void write(JsonNode document) {
    line("# Requests");
    line("Generated from the OpenAPI document, which each service returns at `/openapi.json`.");
    Map<String, List<Runnable>> byTag = new TreeMap<>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method ->
                            byTag
                                .computeIfAbsent(
                                    method.getValue().path("tags").path(0).asText(),
                                    tag -> new ArrayList<>())
                                .add(
                                    () ->
                                        request(
                                            method.getKey(), path.getKey(), method.getValue()))));
    byTag.forEach(
        (tag, requests) -> {
          line("## " + tag);
          requests.forEach(Runnable::run);
        });
    line("## Schemas");
    document
        .at("/components/schemas")
        .properties()
        .forEach(schema -> schema(schema.getKey(), schema.getValue()));
  }

  private void request(String method, String path, JsonNode operation) {
    line("### " + method.toUpperCase(Locale.ROOT) + " " + path);
    line(operation.path("summary").asText());
    line("Role: `" + operation.path("x-role").asText() + "`.");
    if (operation.has("parameters")) {
      table("parameter", "in", "type", "");
      operation
          .path("parameters")
          .forEach(
              one ->
                  row(
                      "`" + one.path("name").asText() + "`",
                      one.path("in").asText(),
                      type(one.path("schema")),
                      one.path("description").asText()));
      line("");
    }
    String body = bodies(operation.path("requestBody").path("content"));
    if (!body.isEmpty()) {
      line("Body: " + body + ".");
    }
    List<String> problems = new ArrayList<>();
    table("status", "", "body");
    operation
        .path("responses")
        .properties()
        .forEach(
            one -> {
              JsonNode content = one.getValue().path("content");
              String text = one.getValue().path("description").asText();
              if (content.has("application/problem+json")) {
                problems.add(one.getKey() + " `" + text + "`");
              } else {
                row(one.getKey(), text, bodies(content));
              }
            });
    line("");
    line("Problems: " + String.join(", ", problems) + ".");
  }

  private static String bodies(JsonNode content) {
    List<String> bodies = new ArrayList<>();
    content
        .properties()
        .forEach(
            body -> bodies.add("`" + body.getKey() + "`" + of(body.getValue().path("schema"))));
    return String.join(", ", bodies);
  }

  private void schema(String name, JsonNode schema) {
    line("### Schema " + name);
    if (schema.has("description")) {
      line(schema.path("description").asText() + ".");
    }
    if (!schema.has("properties")) {
      line("Type: " + type(schema) + ".");
      return;
    }
    TreeSet<String> required = new TreeSet<>();
    schema.path("required").forEach(one -> required.add(one.asText()));
    table("field", "type", "required", "");
    schema
        .path("properties")
        .properties()
        .forEach(
            one ->
                row(
                    "`" + one.getKey() + "`",
                    type(one.getValue()),
                    required.contains(one.getKey()) ? "yes" : "",
                    one.getValue().path("description").asText()));
    line("");
  }

  private static String of(JsonNode schema) {
    return schema.isMissingNode() ? "" : ", " + type(schema);
  }

  private static String type(JsonNode schema) {
    if (schema.has("$ref")) {
      String name = schema.path("$ref").asText().substring(SCHEMAS.length());
      return "[%s](#schema-%s)".formatted(name, name.toLowerCase(Locale.ROOT));
    }
    if (schema.has("properties")) {
      List<String> fields = new ArrayList<>();
      schema.path("properties").fieldNames().forEachRemaining(one -> fields.add("`" + one + "`"));
      return "object with " + String.join(", ", fields);
    }
    for (String choice : List.of("anyOf", "oneOf")) {
      if (schema.has(choice)) {
        List<String> types = new ArrayList<>();
        schema.path(choice).forEach(one -> types.add(type(one)));
        return String.join(" or ", types);
      }
    }
    if (schema.has("const")) {
      return "`" + schema.path("const").asText() + "`";
    }
    String type = simpleType(schema.path("type"));
    if (schema.has("enum")) {
      List<String> values = new ArrayList<>();
      schema.path("enum").forEach(one -> values.add("`" + one.asText() + "`"));
      return String.join(", ", values);
    }
    if (schema.has("items")) {
      type += " of " + type(schema.path("items"));
    } else if (schema.path("additionalProperties").isObject()) {
      type += " of " + type(schema.path("additionalProperties"));
    }
    return type + bounds(schema);
  }

  private static String simpleType(JsonNode type) {
    if (!type.isArray()) {
      return type.isMissingNode() ? "any" : type.asText();
    }
    List<String> types = new ArrayList<>();
    type.forEach(one -> types.add(one.asText()));
    return String.join(" or ", types);
  }

  private static String bounds(JsonNode schema) {
    List<String> bounds = new ArrayList<>();
    for (String name :
        List.of(
            "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern")) {
      if (schema.has(name)) {
        bounds.add(name + " `" + schema.path(name).asText() + "`");
      }
    }
    return bounds.isEmpty() ? "" : " (" + String.join(", ", bounds) + ")";
  }

  private void table(String... heads) {
    row(heads);
    page.append("|---".repeat(heads.length)).append("|\n");
  }

  private void row(String... cells) {
    for (String cell : cells) {
      page.append("| ").append(cell.replace("|", "\\|").replace("\n", " ")).append(' ');
    }
    page.append("|\n");
  }

  private void line(String text) {
    page.append(text).append(text.isEmpty() ? "\n" : "\n\n");
  }
}

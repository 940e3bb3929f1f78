package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks values against the schemas of the OpenAPI document, as far as it uses JSON Schema. Members
 * that a schema does not name are refused, unless the schema allows them.
 */
record SchemaChecker(JsonNode document) {

  void check(JsonNode schema, JsonNode value, String where) {
    List<String> wrong = new ArrayList<>();
    look(schema, value, where, wrong);
    assertThat(wrong).as("what the document does not tell of %s", value).isEmpty();
  }

  private void look(JsonNode schema, JsonNode value, String where, List<String> wrong) {
    if (schema.has("$ref")) {
      look(document.at(schema.get("$ref").asText().substring(1)), value, where, wrong);
      return;
    }
    if (schema.has("type") && !isOf(schema.get("type").asText(), value)) {
      wrong.add("%s is no %s".formatted(where, schema.get("type").asText()));
      return;
    }
    if (schema.has("enum") && !isOneOf(schema.get("enum"), value)) {
      wrong.add("%s is none of %s".formatted(where, schema.get("enum")));
    }
    if (schema.has("minimum") && value.asDouble() < schema.get("minimum").asDouble()) {
      wrong.add("%s is too small".formatted(where));
    }
    if (schema.has("maximum") && value.asDouble() > schema.get("maximum").asDouble()) {
      wrong.add("%s is too large".formatted(where));
    }
    for (JsonNode name : schema.path("required")) {
      if (!value.has(name.asText())) {
        wrong.add("%s.%s is missing".formatted(where, name.asText()));
      }
    }
    if (value.isArray() && schema.has("items")) {
      value.forEach(one -> look(schema.get("items"), one, where + "[]", wrong));
    }
    if (value.isObject()) {
      value
          .properties()
          .forEach(member -> member(schema, member.getKey(), member.getValue(), where, wrong));
    }
  }

  private void member(
      JsonNode schema, String name, JsonNode value, String where, List<String> wrong) {
    JsonNode properties = schema.path("properties");
    JsonNode others = schema.path("additionalProperties");
    if (properties.has(name)) {
      look(properties.get(name), value, where + "." + name, wrong);
    } else if (others.isObject()) {
      look(others, value, where + "." + name, wrong);
    } else if (schema.has("properties") && !others.asBoolean(false)) {
      wrong.add("%s.%s is not told".formatted(where, name));
    }
  }

  private static boolean isOneOf(JsonNode all, JsonNode value) {
    for (JsonNode one : all) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOf(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      default -> false;
    };
  }
}

package io.ensemble.rest.http;

/** The methods of resources. HEAD is GET without the body. */
public enum HttpMethod {
  GET,
  PUT,
  POST,
  PATCH,
  DELETE
}

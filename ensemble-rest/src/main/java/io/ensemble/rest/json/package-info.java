/**
 * JSON bodies, validated field by field, and JSON responses. An unknown field is rejected by its
 * name.
 */
@NullMarked
package io.ensemble.rest.json;

import org.jspecify.annotations.NullMarked;

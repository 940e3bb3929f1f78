/** Reference pages in Markdown, generated from the commands and from the OpenAPI document. */
@NullMarked
package io.ensemble.cli.reference;

import org.jspecify.annotations.NullMarked;

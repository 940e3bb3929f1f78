{{- define "ensemble.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The labels that select the pods of a part. Arguments: root, component. */}}
{{- define "ensemble.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "ensemble.labels" -}}
{{ include "ensemble.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "ensemble.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "ensemble.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Arguments: image, tag (if the image has none). */}}
{{- define "ensemble.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (default .tag .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "ensemble.domain" -}}
{{- printf "%s.svc.%s" .Release.Namespace .Values.clusterDomain -}}
{{- end -}}

{{/* The name of a site's StatefulSet and of its headless Service. Arguments: root, site. */}}
{{- define "ensemble.siteName" -}}
{{- printf "%s-%s" (include "ensemble.fullname" .root) .site.name -}}
{{- end -}}

{{- define "ensemble.siteDomain" -}}
{{- printf "%s.%s" (include "ensemble.siteName" .) (include "ensemble.domain" .root) -}}
{{- end -}}

{{/* host:port of each node, separated by commas. Arguments: root, site. */}}
{{- define "ensemble.siteEndpoints" -}}
{{- $existing := default dict .site.existing -}}
{{- $name := include "ensemble.siteName" . -}}
{{- if $existing.endpoints -}}
{{- join "," $existing.endpoints -}}
{{- else -}}
{{- $domain := ternary (include "ensemble.domain" .root) (include "ensemble.siteDomain" .) (hasKey $existing "statefulSet") -}}
{{- $endpoints := list -}}
{{- range $node := until (int (default .site.nodes $existing.nodes)) -}}
{{- $endpoints = append $endpoints (printf "%s-%d.%s:11222" $name $node $domain) -}}
{{- end -}}
{{- join "," $endpoints -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the user of a site; empty if the site has none. Arguments: root, site. */}}
{{- define "ensemble.siteSecret" -}}
{{- $credentials := default dict .site.credentials -}}
{{- if $credentials.generate -}}
{{- printf "%s-user" (include "ensemble.siteName" .) -}}
{{- else -}}
{{- default "" $credentials.secretName -}}
{{- end -}}
{{- end -}}

{{/* The address of the catalog. */}}
{{- define "ensemble.catalog" -}}
{{- $servers := .Values.catalog.servers -}}
{{- if eq .Values.catalog.source "bundled" -}}
{{- $name := printf "%s-zookeeper" (include "ensemble.fullname" .) -}}
{{- $servers = list -}}
{{- range $server := until (int .Values.zookeeper.replicas) -}}
{{- $servers = append $servers (printf "%s-%d.%s.%s:2181" $name $server $name (include "ensemble.domain" $)) -}}
{{- end -}}
{{- else if eq .Values.catalog.source "zoofence" -}}
{{- $servers = list (printf "%s-zoofence.%s:%d" (include "ensemble.fullname" .) (include "ensemble.domain" .) (int .Values.zoofence.port)) -}}
{{- end -}}
{{- printf "zk://%s%s" (join "," $servers) .Values.catalog.path -}}
{{- if .Values.catalog.accessSecret -}}?access=/etc/ensemble/catalog/catalog.properties{{- end -}}
{{- end -}}

{{- define "ensemble.restIsTls" -}}
{{- if .Values.access.existingSecret -}}
{{- .Values.access.existingSecretHasTls -}}
{{- else -}}
{{- not .Values.access.clearText -}}
{{- end -}}
{{- end -}}

{{- define "ensemble.hasMetrics" -}}
{{- or .Values.metrics.annotations .Values.metrics.serviceMonitor.enabled -}}
{{- end -}}

{{/* Arguments: mode (required, preferred or none), labels (text of YAML). */}}
{{- define "ensemble.antiAffinityTerm" -}}
labelSelector:
  matchLabels:
    {{- .labels | nindent 4 }}
  {{- with .expressions }}
  matchExpressions:
    {{- . | nindent 4 }}
  {{- end }}
topologyKey: kubernetes.io/hostname
{{- end -}}

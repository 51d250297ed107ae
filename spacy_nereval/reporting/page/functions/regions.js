// A span as Label Studio has it, for a config that calls its text "text" and its labels "label".

const labelStudioRegion = ({ start, end, label, text }) => ({ from_name: "label", to_name: "text", type: "labels", value: { start, end, text, labels: [label] } });

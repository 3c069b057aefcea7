// Stands in for the native @vscode/deviceid: nothing here reports to anyone, so every device is the same.
export const getDeviceId = async () => '00000000-0000-4000-8000-000000000000';
